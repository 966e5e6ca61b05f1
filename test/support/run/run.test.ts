import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { processIdentity } from '../../../scripts/stack/processes.ts';
import { waitUntil } from '../wait-until.ts';
import { clearDeadRuns, endRun, makeRunFolder, type RunFolder } from './run-folder.ts';

const TEST_RUN = fileURLToPath(new URL('../../run.ts', import.meta.url));
const END_WITH_PARENT = new URL('end-with-parent.ts', import.meta.url).href;
// Starts a server of the run in a group of its own, tells its process id, and goes on for ever, as that does.
const JEST = `
  const { spawn } = require('node:child_process');
  const server = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' });
  console.log(server.pid);
  setInterval(() => {}, 1000);
`;
// Starts jest as `test/run.ts` does.
const RUN = `
  const { spawn } = require('node:child_process');
  spawn(process.execPath, ['--import', ${JSON.stringify(END_WITH_PARENT)}, '-e', ${JSON.stringify(JEST)}], {
    detached: true, stdio: ['ignore', 'inherit', 'ignore', 'ipc'] });
`;

/** Starts a program of a run; resolves to the process id of its server. */
async function start(program: string, { folder, data }: RunFolder): Promise<[program: ChildProcess, server: number]> {
  const env = { ...process.env, TMPDIR: data, EVERTURN_TEST_RUN: folder };
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'ignore'], env });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const server = Number(line.toString());
  expect(processIdentity(server)).toBeDefined();
  return [child, server];
}

function forgetRun(folder: string): void {
  writeFileSync(join(folder, 'pid'), JSON.stringify({ pid: process.pid, identity: 'another boot 1' }));
}

test('a run that is ended leaves neither a server, whose parent has died, nor data', async () => {
  const chosen = process.env['TMPDIR'];
  // With it the data would not be in memory.
  delete process.env['TMPDIR'];
  const run = makeRunFolder();
  process.env['TMPDIR'] = chosen;
  const [jest, server] = await start(JEST, run);
  jest.kill('SIGKILL');
  await once(jest, 'close');
  await endRun(run.folder);
  expect([processIdentity(server), existsSync(run.folder), existsSync(run.data)]).toEqual([undefined, false, false]);
});

test('jest ends its servers and removes the data, when the program that has started it is killed', async () => {
  const run = makeRunFolder();
  const [program, server] = await start(RUN, run);
  program.kill('SIGKILL');
  await waitUntil('the data is gone', () => (existsSync(run.folder) ? undefined : true));
  expect(processIdentity(server)).toBeUndefined();
});

test('a run clears what one has left whose processes were killed, and lets alone what may still run', async () => {
  const [dead, alive, unknown] = [makeRunFolder(), makeRunFolder(), makeRunFolder()];
  rmSync(join(unknown.folder, 'pid'));
  const [[, left], [runs, kept]] = [await start(JEST, dead), await start(JEST, alive)];
  forgetRun(dead.folder);
  await clearDeadRuns();
  expect([processIdentity(left), existsSync(dead.folder), existsSync(dead.data)]).toEqual([undefined, false, false]);
  expect([processIdentity(kept) === undefined, existsSync(alive.folder)]).toEqual([false, true]);
  expect(existsSync(unknown.folder)).toBe(true);
  // That it has ended may be read from the system before its parent is told.
  const exited = once(runs, 'exit');
  await Promise.all([endRun(alive.folder), endRun(unknown.folder)]);
  expect(await exited).toEqual([null, 'SIGINT']);
});

test('npm test ends jest and removes the data when it is asked to end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'everturn-asked-'));
  // More files than are through before the signal.
  const run = spawn(process.execPath, [TEST_RUN, 'domain'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, TMPDIR: folder },
  });
  const [said, ended] = [text(run.stdout), once(run, 'close')];
  await waitUntil('jest to store what it has found', () => {
    const [name] = readdirSync(folder);
    const data = join(folder, name ?? '', 'data');
    return (existsSync(data) && readdirSync(data).length > 0) || undefined;
  });
  run.kill('SIGTERM');
  expect(await ended).toEqual([130, null]);
  expect(await said).toContain('The run was interrupted.');
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});
