import { describe, expect, test } from '@jest/globals';
import type { McpTool } from './mcp-tool.ts';
import { changeOf, compareTools } from './tool-changes.ts';

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
