import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createTestTools, prepareCall, type TestTools } from '../../../test/support/tool-context.ts';
import { fileRead } from '../builtin/filesystem/file-read.ts';
import { type Upload, withUploads } from './with-uploads.ts';
import type { Workspace } from './workspace.ts';

const addedAt = new Date('2026-11-22T09:30:00Z');
const never = new AbortController().signal;

let tools: TestTools;
let own: Workspace;
let workspace: Workspace;
let uploads: readonly Upload[] = [];
beforeAll(async () => {
  tools = await createTestTools();
  own = tools.context.workspace;
  workspace = withUploads(own, async () => uploads);
  const options = { overwrite: true, createFolders: true, isForeign: false };
  for (const path of [['notes.md'], ['work', 'a.txt']]) await workspace.write(path, Buffer.from('own'), options);
  uploads = [upload('a.csv', 'x,y\n1,2\n'), upload('z.pdf', '%PDF')];
});
afterAll(async () => tools.close());

function upload(name: string, content: string): Upload {
  return {
    name,
    size: content.length,
    addedAt,
    read: async function* read() {
      for (const letter of content) yield Buffer.from(letter);
    },
  };
}

async function pathsIn(path: readonly string[], maxDepth = 32, limit = 100) {
  const { entries, isCut } = await workspace.list(path, { maxDepth, limit }, never);
  return { paths: entries.map((entry) => entry.path), isCut };
}

describe('the uploads in a workspace', () => {
  test('are read like files of it, and are foreign text', async () => {
    expect((await workspace.read(['uploads', 'a.csv'], 100)).toString()).toBe('x,y\n1,2\n');
    await expect(workspace.read(['uploads', 'a.csv'], 7)).rejects.toThrow('larger than 7 bytes');
    let text = '';
    for await (const chunk of workspace.readChunks(['uploads', 'a.csv'], never)) text += chunk.toString();
    expect(text).toBe('x,y\n1,2\n');
    expect(await workspace.isForeign(['uploads', 'a.csv'])).toBe(true);
    expect(await workspace.isForeign(['notes.md'])).toBe(false);
  });

  test('are listed at the position of their folder', async () => {
    const inFolder = ['uploads/a.csv', 'uploads/z.pdf'];
    expect(await pathsIn(['uploads'])).toEqual({ paths: inFolder, isCut: false });
    expect((await pathsIn([])).paths).toEqual(['notes.md', 'uploads', ...inFolder, 'work', 'work/a.txt']);
    expect((await pathsIn([], 1)).paths).toEqual(['notes.md', 'uploads', 'work']);
    expect(await pathsIn([], 32, 2)).toEqual({ paths: ['notes.md', 'uploads'], isCut: true });
    expect((await pathsIn(['work'])).paths).toEqual(['work/a.txt']);
  });

  test('are not changed by tools', async () => {
    const options = { overwrite: true, createFolders: true, isForeign: false };
    const edit = { key: 'k', maxBytes: 100, isForeign: false };
    const path = ['uploads', 'a.csv'];
    const written = 'tools cannot write there';
    await expect(workspace.write(path, Buffer.from('new'), options)).rejects.toThrow(written);
    await expect(workspace.edit(path, edit, async (content) => content)).rejects.toThrow(written);
    const removed = 'What users have uploaded cannot be removed';
    await expect(workspace.remove(path, { recursive: false }, never)).rejects.toThrow(removed);
    await expect(workspace.remove(['uploads'], { recursive: true }, never)).rejects.toThrow(removed);
  });

  test.each([
    ['with uploads', [upload('a.csv', 'x')]],
    ['without any', []],
  ])('have their folder for themselves, %s: no file of a tool can be hidden by one of its name', async (_, present) => {
    const before = uploads;
    uploads = present;
    const options = { overwrite: false, createFolders: true, isForeign: false };
    for (const path of [['uploads', 'mine.txt'], ['uploads', 'deep', 'mine.txt'], ['uploads']])
      await expect(workspace.write(path, Buffer.from('mine'), options)).rejects.toThrow('write to another path');
    uploads = before;
  });

  test('leave files that tools wrote there before readable, and let them be removed', async () => {
    const options = { overwrite: false, createFolders: true, isForeign: false };
    await own.write(['uploads', 'mine.txt'], Buffer.from('mine'), options);
    expect((await workspace.read(['uploads', 'mine.txt'], 100)).toString()).toBe('mine');
    expect((await pathsIn(['uploads'])).paths.toSorted()).toEqual([
      'uploads/a.csv',
      'uploads/mine.txt',
      'uploads/z.pdf',
    ]);
    expect(await workspace.remove(['uploads', 'mine.txt'], { recursive: false }, never)).toBe(true);
  });

  test('are copied, as text from outside, and never moved', async () => {
    const options = { key: 'k', isCopy: true, overwrite: false };
    await workspace.move(['uploads', 'a.csv'], ['work', 'b.csv'], options, never);
    expect((await workspace.read(['work', 'b.csv'], 100)).toString()).toBe('x,y\n1,2\n');
    expect(await workspace.isForeign(['work', 'b.csv'])).toBe(true);
    const moved = workspace.move(['uploads', 'a.csv'], ['c.csv'], { ...options, isCopy: false }, never);
    await expect(moved).rejects.toThrow('cannot be moved; copy it');
    await expect(workspace.move(['uploads'], ['all'], options, never)).rejects.toThrow('copy the files in it');
    const there = workspace.move(['notes.md'], ['uploads', 'n.md'], options, never);
    await expect(there).rejects.toThrow('tools cannot write there');
    await own.remove(['work', 'b.csv'], { recursive: false }, never);
  });

  test('are read by the tool that reads files, as data from outside', async () => {
    const call = prepareCall(fileRead, { path: 'uploads/a.csv', start_line: 2 });
    expect(await call.run({ ...tools.context, workspace })).toEqual({ value: '1,2\n', isForeign: true });
  });
});
