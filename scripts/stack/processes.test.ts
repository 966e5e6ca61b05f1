import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { processIdentity, readRunRecord, stopRecorded, takeLock, writeRunRecord } from './processes.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'everturn-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a noted process', () => {
  test('is found again while it runs', () => {
    writeRunRecord(join(folder, 'pid'), process.pid);
    expect(readRunRecord(join(folder, 'pid'))?.pid).toBe(process.pid);
  });

  test('is not taken for another that has got its id', async () => {
    // This very process has the id, but was not started when the note says.
    writeFileSync(join(folder, 'pid'), JSON.stringify({ pid: process.pid, identity: 'another boot 1' }));
    expect(readRunRecord(join(folder, 'pid'))).toBeUndefined();
    await expect(stopRecorded(join(folder, 'pid'), { limitMs: 100 })).resolves.toBe(false);
  });

  test('is stopped when a later run asks for it', async () => {
    const child = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await new Promise((resolve) => child.once('spawn', resolve));
    writeRunRecord(join(folder, 'pid'), child.pid ?? 0);
    await expect(stopRecorded(join(folder, 'pid'), { limitMs: 60_000 })).resolves.toBe(true);
    await ended;
    expect(processIdentity(child.pid ?? 0)).toBeUndefined();
  });

  test('is nobody when the note was cut short', () => {
    writeFileSync(join(folder, 'pid'), '{"pid":');
    expect(readRunRecord(join(folder, 'pid'))).toBeUndefined();
  });
});

describe('the lock of a data folder', () => {
  test('is refused with the id of its holder while that runs', () => {
    expect(takeLock(join(folder, 'lock'))).toMatchObject({ held: true });
    expect(takeLock(join(folder, 'lock'))).toEqual({ held: false, by: process.pid });
  });

  test('is granted when its holder was killed', () => {
    writeFileSync(join(folder, 'lock'), JSON.stringify({ pid: process.pid, identity: 'another boot 1' }));
    expect(takeLock(join(folder, 'lock'))).toMatchObject({ held: true });
  });
});
