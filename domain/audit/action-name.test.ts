import { describe, expect, test } from '@jest/globals';
import { actionOf } from './action-name.ts';

describe('the audit name of a route', () => {
  test.each([
    ['get', 'agents.view'],
    ['post', 'agents.create'],
    ['patch', 'agents.update'],
    ['put', 'agents.set'],
    ['delete', 'agents.delete'],
  ] as const)('is that of its method, %s, unless it declares an action', (method, name) => {
    expect(actionOf({ method, resource: 'agents' })).toBe(name);
  });

  test('is that of its resource and of the action that it declares, whatever its path', () => {
    expect(actionOf({ method: 'post', resource: 'mcp_servers', action: 'fetch_tools' })).toBe(
      'mcp_servers.fetch_tools',
    );
  });
});
