import { describe, expect, test } from '@jest/globals';
import { offeredNames } from './offered-names.ts';

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
