import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openScratch, removeOldScratch } from './with-uploads.ts';
import { filePath } from './workspace-path.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'everturn-scratch-'));
});
afterEach(async () => rm(root, { recursive: true, force: true }));

const OPTIONS = { overwrite: true, createFolders: true, isForeign: true };

test('a scratch workspace is gone with its files and its marks, and others stay', async () => {
  const [first, other] = ['one', 'two'].map((id) => openScratch(root, { orgId: 'acme', id }));
  await first?.workspace.write(filePath('a/b.txt'), Buffer.from('x'), OPTIONS);
  await other?.workspace.write(filePath('b.txt'), Buffer.from('x'), OPTIONS);
  await first?.remove();
  expect((await readdir(join(root, 'trials', 'acme'))).every((name) => name.startsWith('two'))).toBe(true);
  await other?.remove();
  expect(await readdir(join(root, 'trials'))).toEqual([]);
});

test('what a dead worker has left is removed once it is old, and nothing else', async () => {
  const chat = join(root, 'acme', 'chat');
  const [old, young] = ['old', 'young'].map((id) => join(root, 'trials', 'acme', id));
  for (const folder of [chat, old ?? '', young ?? '']) await mkdir(folder, { recursive: true });
  for (const folder of [chat, old ?? '']) await utimes(folder, new Date(0), new Date(0));
  await removeOldScratch(root, 60_000);
  expect(await readdir(join(root, 'trials', 'acme'))).toEqual(['young']);
  expect(await readdir(join(root, 'acme'))).toEqual(['chat']);
  await removeOldScratch(join(root, 'nowhere'), 60_000);
});
