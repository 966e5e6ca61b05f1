import { describe, expect, test } from '@jest/globals';
import { AccountUse } from './model-candidates.ts';

describe('AccountUse', () => {
  test('returns the later of what this process and what the database knows', () => {
    const uses = new AccountUse();
    expect(uses.lastUse({ id: 'a', lastUsedAt: null })).toBeNull();
    expect(uses.lastUse({ id: 'a', lastUsedAt: new Date(5) })).toBe(5);
    uses.used('a', 7);
    expect(uses.lastUse({ id: 'a', lastUsedAt: null })).toBe(7);
    expect(uses.lastUse({ id: 'a', lastUsedAt: new Date(5) })).toBe(7);
    expect(uses.lastUse({ id: 'a', lastUsedAt: new Date(9) })).toBe(9);
  });

  test('forgets those that were used longest ago when there are very many', () => {
    const uses = new AccountUse();
    for (let index = 0; index < 10_000; index += 1) uses.used(String(index), index);
    uses.used('0', 10_000);
    uses.used('new', 10_001);
    const known = ['0', '1', '2', 'new'].map((id) => uses.lastUse({ id, lastUsedAt: null }));
    expect(known).toEqual([10_000, null, 2, 10_001]);
  });
});
