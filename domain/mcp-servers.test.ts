import { describe, expect, test } from '@jest/globals';
import {
  changeOf,
  compareTools,
  type McpTool,
  offeredNames,
  parseMcpCatalog,
  programKeyOf,
  programUrl,
} from './mcp-servers.ts';

describe('program', () => {
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
});

describe('tool changes', () => {
  const tool = (name: string, digest: string): McpTool => ({
    name,
    description: '',
    inputSchema: {},
    annotations: {},
    digest,
  });

  describe('compareTools', () => {
    test('names what was added, changed and removed, whatever the order', () => {
      const before = [tool('same', '1'), tool('other', '1'), tool('gone', '1')];
      const now = [tool('new', '1'), tool('other', '2'), tool('same', '1')];
      const changes = compareTools(before, now);
      expect(changes).toEqual({ added: ['new'], changed: ['other'], removed: ['gone'] });
      expect(now.map(({ name }) => changeOf(name, changes))).toEqual(['added', 'changed', null]);
      expect(changeOf('new', null)).toBeNull();
    });

    test('finds nothing where nothing has changed', () => {
      expect(compareTools([tool('a', '1')], [tool('a', '1')])).toEqual({ added: [], changed: [], removed: [] });
    });
  });
});

describe('offered names', () => {
  const tool = (serverName: string, toolName: string, identity = `${serverName} ${toolName}`) => ({
    serverName,
    toolName,
    identity,
  });

  describe('the name of an offered tool', () => {
    test.each([
      ['GitHub', 'create_issue', 'mcp__GitHub__create_issue'],
      ['My files (work)', 'read.file', 'mcp__My_files_work__read_file'],
      ['Büro', 'suche', 'mcp__Buro__suche'],
      ['\u202Eevil', 'a\u0000b\nc', 'mcp__evil__a_b_c'],
      ['日本', '検索', 'mcp__server__tool'],
    ])('of %j and %j is %s', (server, name, expected) => {
      expect(offeredNames([tool(server, name)])).toEqual([expected]);
    });

    test('is clear, short and its own, whatever the names are', () => {
      const long = 'x'.repeat(200);
      const names = offeredNames([
        tool('a', 'b c'),
        tool('a', 'b_c'),
        tool('a', 'b.c'),
        tool('a', long),
        tool('a', `${long}y`),
        tool(long, long),
        tool('日', '本'),
        tool('本', '日'),
      ]);
      expect(new Set(names).size).toBe(names.length);
      for (const name of names) expect(name).toMatch(/^mcp__[\w-]{1,59}$/);
    });

    test('does not depend on the order of the tools', () => {
      const tools = [tool('a', 'b c'), tool('a', 'b_c'), tool('a', 'd')];
      expect(offeredNames(tools.toReversed()).toReversed()).toEqual(offeredNames(tools));
    });
  });
});
