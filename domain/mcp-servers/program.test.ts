import { expect, test } from '@jest/globals';
import { parseMcpCatalog, programKeyOf, programUrl } from './program.ts';

const command = ['/usr/bin/node', '/opt/mcp/files/index.js'];
const parse = (programs: object) => parseMcpCatalog(JSON.stringify(programs));

test('a program has what its entry says, and nothing else', () => {
  expect([...parse({ files: { name: 'Files', command } }).values()]).toEqual([
    { key: 'files', name: 'Files', description: '', command, folders: [], environment: {}, network: false },
  ]);
  const all = { description: 'd', folders: ['/opt/mcp'], environment: { A: 'b' }, network: true };
  expect(parse({ a: { name: 'A', command, ...all, secret_variable: 'TOKEN' } }).get('a')).toMatchObject({
    ...all,
    secretVariable: 'TOKEN',
  });
});

test.each([
  [{ 'a b': { name: 'A', command } }, /a b: /],
  [{ a: { name: 'A', command: ['node', 'x.js'] } }, /a\.command\.0: must be an absolute path/],
  [{ a: { name: 'A', command: [] } }, /a\.command/],
  [{ a: { name: 'A', command: 'node x.js' } }, /a\.command/],
  [{ a: { command } }, /a\.name/],
  [{ a: { name: 'A', command, cwd: '/' } }, /cwd/],
  [{ a: { name: 'A', command, folders: ['/'] } }, /a\.folders\.0: must not be the root/],
  [{ a: { name: 'A', command, folders: ['/proc/1'] } }, /a\.folders\.0/],
  [{ a: { name: 'A', command, folders: ['/opt/../etc'] } }, /a\.folders\.0/],
  [{ a: { name: 'A', command, folders: ['opt'] } }, /a\.folders\.0/],
  [{ a: { name: 'A', command, environment: { 'A-B': 'c' } } }, /A-B/],
  [{ a: { name: 'A', command: [...command, 'a\0b'] } }, /a\.command\.2/],
])('a catalogue with a fault is refused, in words that say where: %j', (programs, words) => {
  expect(() => parse(programs)).toThrow(words);
});

test.each([
  ['stdio:files', 'files'],
  ['stdio:', ''],
  ['https://stdio.example.com', undefined],
])('the address %s names the program %p', (url, key) => {
  expect(programKeyOf(url)).toBe(key);
});

test('the address of a program names it', () => {
  expect(programKeyOf(programUrl({ key: 'files' }))).toBe('files');
});
