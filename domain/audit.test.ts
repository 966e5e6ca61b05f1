import { describe, expect, test } from '@jest/globals';
import { actionOf, DenialBudget } from './audit.ts';

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

const MINUTE = 60_000;

describe('the budget of denied attempts', () => {
  test('lets thirty of a user through and counts the others, with the last of them', () => {
    const budget = new DenialBudget<number>(0);
    const taken = Array.from({ length: 100 }, (_item, n) => budget.take({ actor: 'a', ip: '1' }, n));
    expect(taken.filter(Boolean)).toHaveLength(30);
    expect(budget.roll(MINUTE)).toEqual([{ last: 99, attempts: 70 }]);
  });

  test('lets another user at the same address through, up to what the address may', () => {
    const budget = new DenialBudget<string>(0);
    const users = Array.from({ length: 10 }, (_item, n) => `user ${n}`);
    const taken = users.flatMap((actor) =>
      Array.from({ length: 20 }, () => budget.take({ actor, ip: '1' }, actor) && actor),
    );
    expect(taken.filter((actor) => actor !== false)).toHaveLength(120);
    expect(budget.roll(MINUTE).map(({ last, attempts }) => [last, attempts])).toEqual(
      users.slice(6).map((actor) => [actor, 20]),
    );
  });

  test('starts again each minute, and not before', () => {
    const budget = new DenialBudget<number>(0);
    for (let n = 0; n < 31; n += 1) budget.take({ actor: 'a', ip: '1' }, n);
    expect(budget.roll(MINUTE - 1)).toEqual([]);
    expect(budget.take({ actor: 'a', ip: '1' }, 31)).toBe(false);
    expect(budget.roll(MINUTE)).toEqual([{ last: 31, attempts: 2 }]);
    expect(budget.take({ actor: 'a', ip: '1' }, 32)).toBe(true);
    expect(budget.roll(MINUTE, true)).toEqual([]);
  });
});
