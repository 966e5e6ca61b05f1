import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createTestTools, type TestTools } from '../../../test/support/tool-context.ts';
import { openWorkspace } from './open-workspace.ts';
import { filePath, ROOT } from './workspace-path.ts';
import type { Workspace } from './workspace.ts';

const never = new AbortController().signal;
const NO_FOLDERS = { overwrite: true, createFolders: false, isForeign: false };
const CREATE = { overwrite: true, createFolders: true, isForeign: false };
const EVERYTHING = { maxDepth: 32, limit: 1000 };

let tools: TestTools;
let workspace: Workspace;
let canary: string;

beforeEach(async () => {
  tools = await createTestTools({ quota: { bytes: 100_000, files: 20 } });
  ({ workspace } = tools.context);
  await put('start.txt', 'start');
  mkdirSync(join(tools.outside, 'secrets'));
  canary = join(tools.outside, 'secrets', 'canary.txt');
  writeFileSync(canary, 'canary');
});
afterEach(async () => {
  expect(readFileSync(canary, 'utf8')).toBe('canary');
  expect(readdirSync(join(tools.outside, 'secrets'))).toEqual(['canary.txt']);
  await tools.close();
});

async function put(path: string, content: string): Promise<void> {
  await workspace.write(filePath(path), Buffer.from(content), CREATE);
}

async function get(path: string): Promise<string> {
  return (await workspace.read(filePath(path), 10_000)).toString();
}

async function names(): Promise<string[]> {
  return (await workspace.list(ROOT, EVERYTHING, never)).entries.map(({ path }) => path);
}

describe('a workspace', () => {
  test('contains what was written, in folders that were made for it', async () => {
    await put('a/b/c.txt', 'deep');
    expect(await get('a/b/c.txt')).toBe('deep');
    expect(await names()).toEqual(['a', 'a/b', 'a/b/c.txt', 'start.txt']);
  });

  test('is empty before the first write', async () => {
    const fresh = await createTestTools();
    expect(await fresh.context.workspace.list(ROOT, EVERYTHING, never)).toEqual({ entries: [], isCut: false });
    await expect(fresh.context.workspace.read(filePath('a'), 10)).rejects.toMatchObject({ kind: 'not_found' });
    expect(await fresh.context.workspace.remove(filePath('a'), { recursive: true }, never)).toBe(false);
    await fresh.close();
  });

  test('keeps a file that may not be replaced, and takes the same content again', async () => {
    const once = { overwrite: false, createFolders: true, isForeign: false };
    expect(await workspace.write(filePath('start.txt'), Buffer.from('start'), once)).toEqual({ wasThere: true });
    const other = workspace.write(filePath('start.txt'), Buffer.from('other'), once);
    await expect(other).rejects.toMatchObject({ kind: 'invalid_input' });
    expect(await get('start.txt')).toBe('start');
  });

  test('makes no folders when it is asked not to', async () => {
    const written = workspace.write(filePath('no/a.txt'), Buffer.from('x'), {
      overwrite: true,
      createFolders: false,
      isForeign: false,
    });
    await expect(written).rejects.toMatchObject({ kind: 'not_found' });
  });

  test('refuses a file where a folder is, and a folder where a file is', async () => {
    await put('folder/a.txt', 'x');
    await expect(put('folder', 'x')).rejects.toMatchObject({ kind: 'invalid_input' });
    await expect(put('start.txt/a.txt', 'x')).rejects.toMatchObject({ kind: 'invalid_input' });
    await expect(get('folder')).rejects.toMatchObject({ kind: 'invalid_input' });
  });

  test('reads no more than it may', async () => {
    await put('long.txt', 'x'.repeat(1000));
    await expect(workspace.read(filePath('long.txt'), 999)).rejects.toMatchObject({ kind: 'invalid_input' });
    expect(await workspace.read(filePath('long.txt'), 1000)).toHaveLength(1000);
  });

  test('is full when it contains as many bytes or files as it may', async () => {
    await expect(put('large.txt', 'x'.repeat(100_000))).rejects.toMatchObject({ kind: 'denied' });
    for (let count = 0; count < 19; count += 1) await put(`f${count}.txt`, '');
    await expect(put('one-more.txt', '')).rejects.toMatchObject({ kind: 'denied' });
    await workspace.remove(filePath('f0.txt'), { recursive: false }, never);
    await put('one-more.txt', '');
  });

  test('leaves no trace of a write that was broken off long ago', async () => {
    const abandoned = join(tools.home, '.everturn-018f0000-0000-7000-8000-000000000000.tmp');
    writeFileSync(abandoned, 'half');
    utimesSync(abandoned, 0, 0);
    expect(await names()).toEqual(['start.txt']);
    await workspace.remove(filePath('none'), { recursive: false }, never);
    await put('a.txt', 'x');
    expect(existsSync(abandoned)).toBe(false);
  });

  test('removes a folder with its content, and only when that is requested', async () => {
    await put('a/b/c.txt', 'x');
    const plain = workspace.remove(filePath('a'), { recursive: false }, never);
    await expect(plain).rejects.toMatchObject({ kind: 'invalid_input' });
    expect(await workspace.remove(filePath('a'), { recursive: true }, never)).toBe(true);
    expect(await workspace.remove(filePath('a'), { recursive: true }, never)).toBe(false);
    expect(await names()).toEqual(['start.txt']);
    await expect(workspace.remove(ROOT, { recursive: true }, never)).rejects.toMatchObject({ kind: 'denied' });
  });

  test.each(['.git/config', '.GIT/hooks/x', 'a/.git/config'])('lets %s be changed by git only', async (path) => {
    await expect(put(path, 'x')).rejects.toMatchObject({ kind: 'denied' });
    await expect(workspace.remove(filePath(path), { recursive: true }, never)).rejects.toMatchObject({
      kind: 'denied',
    });
  });
});

describe('an edit', () => {
  const upper = async (content: Buffer) => Buffer.from(`${content.toString()}!`);
  const edit = (key: string) => workspace.edit(filePath('start.txt'), { key, maxBytes: 1000, isForeign: false }, upper);

  test('is made once for each key, however often it is repeated', async () => {
    expect(await edit('one')).toEqual({ wasDone: false });
    expect(await edit('one')).toEqual({ wasDone: true });
    expect(await edit('two')).toEqual({ wasDone: false });
    expect(await get('start.txt')).toBe('start!!');
  });

  test('is made when it was begun and broken off before the file had changed', async () => {
    await edit('one');
    await put('start.txt', 'start');
    expect(await edit('one')).toEqual({ wasDone: false });
    expect(await get('start.txt')).toBe('start!');
  });

  test('is not made again when the file has changed since it was begun', async () => {
    await edit('one');
    await put('start.txt', 'something else');
    await expect(edit('one')).rejects.toMatchObject({ kind: 'upstream' });
    expect(await get('start.txt')).toBe('something else');
  });
});

describe('the quota of a workspace', () => {
  const homeNames = () => readdirSync(tools.home, { recursive: true }).length;

  test('counts folders as soon as they are made', async () => {
    const made: unknown[] = [];
    for (let at = 0; at < 40; at += 1) made.push(await put(`${at}/b/c/d/e.txt`, 'x').catch((error: unknown) => error));
    expect(made.at(-1)).toMatchObject({ kind: 'denied', message: expect.stringContaining('20 files and folders') });
    expect(homeNames()).toBeLessThanOrEqual(20);
  });

  test('is not used up by folders that are there', async () => {
    for (let at = 0; at < 8; at += 1) await put(`a/b/c/d/${at}.txt`, 'x');
    expect(homeNames()).toBe(13);
  });

  test('counts the records of edits', async () => {
    const edits: unknown[] = [];
    for (let at = 0; at < 40; at += 1) {
      const change = async () => Buffer.from(`edit ${at}`);
      edits.push(
        await workspace
          .edit(filePath('start.txt'), { key: `key ${at}`, maxBytes: 1_000, isForeign: false }, change)
          .catch((error: unknown) => error),
      );
    }
    expect(edits.at(-1)).toMatchObject({ kind: 'denied' });
    expect(readdirSync(`${tools.home}.edits`).length).toBeLessThanOrEqual(20);
  });

  test('is one for all chats of the organizations of an owner too, and free again for all when files are deleted', async () => {
    const noted = new Map<string, number>();
    const orgId = randomUUID();
    const open = (chatId: string) => {
      const note = async (bytes: number) => {
        noted.set(chatId, bytes);
        return [...noted.values()].reduce((sum, each) => sum + each, 0);
      };
      return openWorkspace({ root: tools.outside, orgId, chatId, quota: { owner: { orgId, bytes: 300_000, note } } });
    };
    const [one, two] = [open(randomUUID()), open(randomUUID())];
    const content = Buffer.alloc(40_000, 'x');
    const write = async (to: typeof one, name: string) => to.write(filePath(name), content, CREATE);
    for (let at = 0; at < 6; at += 1) await write(one, `${at}.bin`);
    await write(two, '0.bin');
    const refusal = {
      kind: 'denied',
      message: expect.stringContaining(
        "The space of the organization's owner is full: its limit is 300000 bytes in all chats of all their organizations",
      ),
    };
    await expect(write(two, '1.bin')).rejects.toMatchObject(refusal);
    await expect(write(one, '6.bin')).rejects.toMatchObject(refusal);
    await one.remove(filePath('0.bin'), { recursive: false }, never);
    await write(two, '1.bin');
    await expect(write(one, '6.bin')).rejects.toMatchObject(refusal);
  });

  test('is measured again by the next write when what a deletion freed could not be noted', async () => {
    const orgId = randomUUID();
    let isAway = false;
    const note = async (bytes: number) => {
      if (isAway) throw new Error('the database is away');
      return bytes;
    };
    const quota = { owner: { orgId, bytes: 100_000, note } };
    const limited = openWorkspace({ root: tools.outside, orgId, chatId: randomUUID(), quota });
    const write = async (name: string) => limited.write(filePath(name), Buffer.alloc(40_000, 'x'), CREATE);
    await write('1.bin');
    await write('2.bin');
    await expect(write('3.bin')).rejects.toMatchObject({ kind: 'denied' });
    isAway = true;
    expect(await limited.remove(filePath('1.bin'), { recursive: false }, never)).toBe(true);
    await expect(write('3.bin')).rejects.toThrow('the database is away');
    isAway = false;
    expect(await write('3.bin')).toEqual({ wasThere: false });
    await expect(write('4.bin')).rejects.toMatchObject({ kind: 'denied' });
  });
});

describe('a way out of the workspace', () => {
  const inHome = (name: string) => join(tools.home, name);

  test('is none over a link to a file', async () => {
    symlinkSync(canary, inHome('link'));
    await expect(get('link')).rejects.toMatchObject({ kind: 'denied' });
    await expect(put('link', 'x')).rejects.toMatchObject({ kind: 'denied' });
    await expect(edit('link')).rejects.toMatchObject({ kind: 'denied' });
    expect((await workspace.list(ROOT, EVERYTHING, never)).entries[0]).toMatchObject({ path: 'link', type: 'link' });
    expect(await workspace.remove(filePath('link'), { recursive: true }, never)).toBe(true);
  });

  test('is none over a link to a folder', async () => {
    symlinkSync(join(tools.outside, 'secrets'), inHome('link'));
    await expect(get('link/canary.txt')).rejects.toThrow('link');
    await expect(put('link/new.txt', 'x')).rejects.toThrow('link');
    await expect(workspace.list(filePath('link'), EVERYTHING, never)).rejects.toThrow('link');
    await expect(workspace.remove(filePath('link/canary.txt'), { recursive: true }, never)).rejects.toThrow('link');
    expect(await names()).toEqual(['link', 'start.txt']);
    await workspace.remove(filePath('link'), { recursive: true }, never);
  });

  test('is none over a link inside a folder that is removed', async () => {
    mkdirSync(inHome('folder'));
    symlinkSync(join(tools.outside, 'secrets'), join(inHome('folder'), 'link'));
    expect(await workspace.remove(filePath('folder'), { recursive: true }, never)).toBe(true);
  });

  test('is none over a second name of a file', async () => {
    linkSync(canary, inHome('hard'));
    await expect(get('hard')).rejects.toMatchObject({ kind: 'denied' });
    await put('hard', 'replaced');
    expect(await get('hard')).toBe('replaced');
  });

  test.each(['/proc/self/environ', '/proc/self/fd/0', '/proc/1/root', '/dev/zero', '/dev/stdin'])(
    'is none over a link to %s',
    async (target) => {
      symlinkSync(target, inHome('link'));
      await expect(get('link')).rejects.toMatchObject({ kind: 'denied' });
    },
  );

  async function edit(path: string) {
    return workspace.edit(filePath(path), { key: 'k', maxBytes: 1000, isForeign: false }, async (content) => content);
  }

  test('is none through a pipe or a socket, and neither makes it wait', async () => {
    execFileSync('mkfifo', [inHome('pipe')]);
    // Created elsewhere and moved, because the name of a socket is limited.
    const server = createServer().listen(join(tools.outside, 's'));
    await new Promise((resolve) => server.once('listening', resolve));
    renameSync(join(tools.outside, 's'), inHome('socket'));
    for (const name of ['pipe', 'socket']) {
      await expect(get(name)).rejects.toMatchObject({ kind: 'denied' });
      await expect(put(name, 'x')).rejects.toMatchObject({ kind: 'denied' });
    }
    expect(await workspace.remove(filePath('pipe'), { recursive: false }, never)).toBe(true);
    await new Promise((resolve) => server.close(resolve));
  });

  test('is none while a folder is swapped with a link again and again', async () => {
    mkdirSync(inHome('here'));
    symlinkSync(join(tools.outside, 'secrets'), inHome('other'));
    writeFileSync(join(inHome('here'), 'canary.txt'), 'from inside');
    const swapper = startSwapper(inHome('here'), inHome('other'), inHome('spare'));
    const seen = new Set<string>();
    try {
      for (let count = 0; count < 100 || (seen.size < 2 && count < 4_000); count += 1) {
        seen.add(await get('here/canary.txt').catch(() => 'refused'));
        await workspace.write(filePath('here/written.txt'), Buffer.from('x'), NO_FOLDERS).catch(() => undefined);
        await workspace.remove(filePath('here/written.txt'), { recursive: false }, never).catch(() => undefined);
        await workspace.list(filePath('here'), EVERYTHING, never).then(
          ({ entries }) => entries.forEach(({ size }) => expect(size).not.toBe('canary'.length)),
          () => undefined,
        );
      }
    } finally {
      await swapper.terminate();
    }
    expect([...seen].toSorted()).toEqual(['from inside', 'refused']);
  });

  test('is none while a file is swapped with a link again and again', async () => {
    writeFileSync(inHome('file'), 'inside');
    symlinkSync(canary, inHome('other'));
    const swapper = startSwapper(inHome('file'), inHome('other'), inHome('spare'));
    const seen = new Set<string>();
    try {
      for (let count = 0; count < 400; count += 1) seen.add(await get('file').catch(() => 'refused'));
    } finally {
      await swapper.terminate();
    }
    expect(seen.has('canary')).toBe(false);
  });

  test('is none when a folder of the workspace is moved out of it', async () => {
    await put('moved/a.txt', 'x');
    renameSync(inHome('moved'), join(tools.outside, 'moved'));
    await expect(get('moved/a.txt')).rejects.toMatchObject({ kind: 'not_found' });
  });
});

/** Swaps two names as fast as it can, until it is ended. */
function startSwapper(one: string, other: string, spare: string): Worker {
  const source = `
    const { renameSync } = require('node:fs');
    const { one, other, spare } = require('node:worker_threads').workerData;
    for (;;) {
      renameSync(one, spare); renameSync(other, one); renameSync(spare, other);
    }`;
  return new Worker(source, { eval: true, workerData: { one, other, spare } });
}

describe('a path that was written with text from outside', () => {
  const foreign = { ...CREATE, isForeign: true };

  test('stays marked, whatever is written there later, in each spelling', async () => {
    expect(await workspace.isForeign(filePath('notes/Ü.txt'))).toBe(false);
    await workspace.write(filePath('notes/Ü.txt'), Buffer.from('x'), foreign);
    await workspace.write(filePath('notes/other.txt'), Buffer.from('x'), CREATE);
    await workspace.write(filePath('notes/Ü.txt'), Buffer.from('y'), CREATE);
    for (const path of ['notes/Ü.txt', './notes/U\u0308.txt', 'notes/ü.TXT']) {
      expect(await workspace.isForeign(filePath(path))).toBe(true);
    }
    expect(await workspace.isForeign(filePath('notes/other.txt'))).toBe(false);
    expect(await workspace.isForeign(filePath('notes'))).toBe(false);
  });

  test('is marked by an edit, too', async () => {
    await workspace.write(filePath('a.txt'), Buffer.from('x'), CREATE);
    const edit = { key: 'k', maxBytes: 1000, isForeign: true };
    await workspace.edit(filePath('a.txt'), edit, async () => Buffer.from('y'));
    expect(await workspace.isForeign(filePath('a.txt'))).toBe(true);
  });

  test('leaves its mark where no tool lists or writes', async () => {
    await workspace.write(filePath('a.txt'), Buffer.from('x'), foreign);
    const { entries } = await workspace.list(ROOT, { maxDepth: 9, limit: 99 }, never);
    expect(entries.map(({ path }) => path)).not.toContainEqual(expect.stringContaining('foreign'));
  });
});
