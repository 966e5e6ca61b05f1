import { expect, test } from '@jest/globals';
import { strToU8, zipSync } from 'fflate';
import { fileChanges, keyIn, readArchive } from './archive.ts';

const archiveOf = (files: Readonly<Record<string, string>>) => {
  const bytes = zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, strToU8(text)])));
  return blobOf(bytes);
};
const blobOf = (bytes: Uint8Array) =>
  ({ size: bytes.length, arrayBuffer: async () => Promise.resolve(bytes.slice().buffer) }) as Blob;

test('an archive has its files within the folder that they all lie in, without what systems add', async () => {
  const archive = archiveOf({
    'notes/tool.json': '{}',
    'notes/docs/a.md': 'Ä',
    '__MACOSX/notes/._a.md': 'x',
    'notes/.DS_Store': 'x',
  });
  const { folder, files } = await readArchive(archive);
  expect([folder, [...files]]).toEqual([
    'notes',
    [
      ['docs/a.md', 'Ä'],
      ['tool.json', '{}'],
    ],
  ]);
  expect((await readArchive(archiveOf({ 'SKILL.md': 'a', 'notes/b.md': 'b' }))).folder).toBe(undefined);
});

test('what is no archive, or holds more than the server takes, is not read', async () => {
  const junk = { size: 4, arrayBuffer: async () => Promise.resolve(new Uint8Array([1, 2, 3, 4]).buffer) } as Blob;
  await expect(readArchive(junk)).rejects.toThrow('no ZIP archive');
  await expect(readArchive(archiveOf({ 'a.md': 'a'.repeat(300 * 1024) }))).rejects.toThrow('is too large');
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`${at}.md`, 'a']));
  await expect(readArchive(archiveOf(many))).rejects.toThrow('is too large');
  const bomb = zipSync({ 'a.md': new Uint8Array(64 * 1024 * 1024) });
  const view = new DataView(bomb.buffer);
  const central = view.getUint32(bomb.length - 6, true);
  view.setUint32(central + 24, 10, true);
  await expect(readArchive(blobOf(bomb))).rejects.toThrow('is too large');
});

test('files differ by what was added, changed and removed', () => {
  const before = new Map([
    ['a.md', '1'],
    ['b.md', '2'],
    ['c.md', '3'],
  ]);
  const after = new Map([
    ['a.md', '1'],
    ['b.md', 'two'],
    ['d.md', '4'],
  ]);
  expect(fileChanges(before, after).map(({ path, kind }) => `${path} ${kind}`)).toEqual([
    'a.md same',
    'b.md changed',
    'c.md removed',
    'd.md added',
  ]);
});

const signaturesIn = (bytes: Uint8Array) =>
  [...bytes.keys()].filter((at) => [0x50, 0x4b, 3, 4].every((byte, offset) => bytes[at + offset] === byte));

test('an archive is read as its central directory says, whatever lies between', async () => {
  const evil = zipSync({ 'tool.json': strToU8('{"evil":true}') }, { level: 0 });
  const outer = zipSync({ 'tool.json': strToU8('{"harmless":true}'), '__MACOSX/x': evil }, { level: 0 });
  const view = new DataView(outer.buffer);
  const central = view.getUint32(outer.length - 6, true);
  // After the two headers of what is outside comes that of what the second one holds.
  const inner = signaturesIn(outer)[2] ?? 0;
  view.setUint32(central + 42, inner, true);
  for (const at of [20, 24]) view.setUint32(central + at, 13, true);
  expect([...(await readArchive(blobOf(outer))).files]).toEqual([['tool.json', '{"evil":true}']]);
});

const keyOf = (key: 'skills' | 'personas' | 'tools', files: Readonly<Record<string, string>>, folder?: string) =>
  keyIn({ folder, files: new Map(Object.entries(files)) }, { key });

test('the key of an archive is that of its folder, else what its files say where the server looks for it', () => {
  expect(keyOf('tools', { 'tool.json': '{"key":"other"}' }, 'report')).toBe('report');
  expect(keyOf('tools', { 'tool.json': '{\n"name": "report",\n"key": "daily_report"\n}' })).toBe('daily_report');
  expect(keyOf('personas', { 'persona.json': '{"name":"Ada","key":"ada"}' })).toBe('ada');
  const skill = (name: string) => ({ 'SKILL.md': `---\nname: ${name}\ndescription: About\n---\n` });
  for (const name of ['notes', '"notes"', "'notes'", 'notes \r']) expect(keyOf('skills', skill(name))).toBe('notes');
  expect(keyOf('skills', { ...skill('notes'), 'skill.json': '{"key":"kept_notes"}' })).toBe('kept_notes');
});

test('a key that is not said, or not in a way that is read here, is not guessed', () => {
  expect(keyOf('tools', { 'tool.json': '{"name":"report"}' })).toBe(undefined);
  expect(keyOf('tools', { 'tool.json': '{"key":"report"' })).toBe(undefined);
  expect(keyOf('personas', { 'persona.json': '["ada"]', 'PROMPT.md': 'name: ada' })).toBe(undefined);
  expect(keyOf('skills', { 'SKILL.md': 'name: notes\n' })).toBe(undefined);
  expect(keyOf('skills', { 'SKILL.md': '---\nmetadata:\n  name: notes\n---\n' })).toBe(undefined);
  expect(keyOf('skills', { 'SKILL.md': '---\nname: "notes\n---\n' })).toBe(undefined);
  expect(keyOf('skills', {}, 'My notes')).toBe(undefined);
});
