import { describe, expect, test } from '@jest/globals';
import { Random } from '../test/support/random.ts';
import { type AccountAvailability, type ChainStep, chooseAccounts, cooldownEnd } from './provider-chains.ts';

const NOW = 1_000_000;
const account = (id: string, providerType: string, state: Partial<AccountAvailability> = {}): AccountAvailability => ({
  id,
  providerType,
  cooldownUntil: null,
  disabledReason: null,
  lastUsedAt: null,
  ...state,
});
const step = (providerType: string, modelName: string | null = null): ChainStep => ({ providerType, modelName });
const ids = (accounts: readonly AccountAvailability[], steps: readonly ChainStep[] | null) =>
  chooseAccounts(accounts, steps, NOW).candidates.map(({ accountId }) => accountId);

describe('chooseAccounts', () => {
  test('takes all accounts by age when there is no chain, whenever they were used', () => {
    expect(ids([account('a', 'openai', { lastUsedAt: NOW }), account('b', 'google')], null)).toEqual(['a', 'b']);
  });

  test('takes the steps in order, and within a step the account that was used longest ago', () => {
    const accounts = [
      account('a', 'openai', { lastUsedAt: 30 }),
      account('b', 'google'),
      account('c', 'openai', { lastUsedAt: 20 }),
      account('d', 'openai'),
      account('e', 'openai'),
    ];
    expect(ids(accounts, [step('google'), step('openai')])).toEqual(['b', 'd', 'e', 'c', 'a']);
  });

  test('asks an account once for each step that names its type, with the model of the step', () => {
    const { candidates } = chooseAccounts([account('a', 'openai')], [step('openai', 'large'), step('openai')], NOW);
    expect(candidates).toEqual([
      { accountId: 'a', stepIndex: 0, modelName: 'large' },
      { accountId: 'a', stepIndex: 1, modelName: null },
    ]);
  });

  test('returns when the first account is back when all cool down, those that the chain does not name left out', () => {
    const accounts = [
      account('a', 'openai', { cooldownUntil: NOW + 50 }),
      account('b', 'openai', { cooldownUntil: NOW + 20 }),
      account('c', 'google', { cooldownUntil: NOW + 10 }),
      account('d', 'openai', { cooldownUntil: NOW + 5, disabledReason: 'wrong key' }),
    ];
    expect(chooseAccounts(accounts, [step('openai'), step('openai')], NOW)).toEqual({
      candidates: [],
      coolingUntil: NOW + 20,
      disabled: [{ accountId: 'd', reason: 'wrong key' }],
    });
  });

  test('takes an account again in the instant in which its cooldown ends', () => {
    expect(ids([account('a', 'openai', { cooldownUntil: NOW })], null)).toEqual(['a']);
  });

  test.each([null, [step('demo'), step('openai')]])('takes demo accounts only when there is no other (%j)', (steps) => {
    const demo = account('a', 'demo');
    expect(ids([demo], steps)).toEqual(['a']);
    expect(ids([demo, account('b', 'openai')], steps)).toEqual(['b']);
    expect(ids([demo, account('b', 'openai', { disabledReason: 'wrong key' })], steps)).toEqual([]);
  });
});

const TYPES = ['openai', 'google', 'demo'];

function randomCase(random: Random) {
  const time = () => (random.chance(0.4) ? null : NOW - 5 + random.below(11));
  const type = () => TYPES[random.below(TYPES.length)] ?? '';
  const accounts = Array.from({ length: random.below(7) }, (_, index) =>
    account(String(index), type(), {
      cooldownUntil: time(),
      disabledReason: random.chance(0.3) ? 'wrong key' : null,
      lastUsedAt: time(),
    }),
  );
  const steps = random.chance(0.3) ? null : Array.from({ length: 1 + random.below(4) }, () => step(type()));
  return { accounts, steps };
}

describe.each([1, 2, 3])('chooseAccounts, with random accounts and chains (seed %d)', (seed) => {
  const random = new Random(seed);
  const cases = Array.from({ length: 500 }, () => randomCase(random));

  test('counts each account that the chain means as available, cooling or disabled, and no other', () => {
    for (const { accounts, steps } of cases) {
      const { candidates, coolingUntil, disabled } = chooseAccounts(accounts, steps, NOW);
      const hasReal = accounts.some(({ providerType }) => providerType !== 'demo');
      const meant = accounts.filter(
        ({ providerType }) =>
          (providerType !== 'demo' || !hasReal) &&
          (steps === null || steps.some((each) => each.providerType === providerType)),
      );
      const cooling = meant.filter((each) => each.disabledReason === null && (each.cooldownUntil ?? 0) > NOW);
      const found = [...candidates, ...disabled].map(({ accountId }) => accountId);
      expect(new Set([...found, ...cooling.map(({ id }) => id)])).toEqual(new Set(meant.map(({ id }) => id)));
      expect(coolingUntil).toBe(
        cooling.length === 0 ? null : Math.min(...cooling.map(({ cooldownUntil }) => cooldownUntil ?? 0)),
      );
    }
  });

  test('never takes a disabled or cooling account, nor one of another type than its step', () => {
    for (const { accounts, steps } of cases) {
      for (const { accountId, stepIndex } of chooseAccounts(accounts, steps, NOW).candidates) {
        const chosen = accounts.find(({ id }) => id === accountId);
        expect(chosen).toMatchObject({ disabledReason: null });
        expect(chosen?.cooldownUntil ?? 0).toBeLessThanOrEqual(NOW);
        if (steps !== null) expect(chosen?.providerType).toBe(steps[stepIndex]?.providerType);
      }
    }
  });

  test('orders by step, then by last use, then by age', () => {
    for (const { accounts, steps } of cases) {
      const ranks = chooseAccounts(accounts, steps, NOW).candidates.map(({ accountId, stepIndex }) => {
        const used = accounts.find(({ id }) => id === accountId)?.lastUsedAt ?? -1;
        return [stepIndex, steps === null ? 0 : used, Number(accountId)] as const;
      });
      const sorted = ranks.toSorted((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
      expect(ranks).toEqual(sorted);
    }
  });
});

const DAY_MS = 86_400_000;

describe('cooldownEnd', () => {
  test.each([
    [undefined, 60, 60_000],
    [5_000, 60, 60_000],
    [90_000, 60, 90_000],
    [0, 0, 1_000],
    [-1, 0, 1_000],
    [undefined, 0, 1_000],
    [Number.NaN, 60, 60_000],
    [1e15, 60, DAY_MS],
    [Infinity, 60, DAY_MS],
  ])(
    'is the longer of the two, a second to a day, when the provider asks for %p and the account for %p s',
    (...row) => {
      const [retryAfterMs, cooldownSeconds, expected] = row;
      expect(cooldownEnd({ now: 1_000, retryAfterMs, cooldownSeconds })).toBe(1_000 + expected);
    },
  );
});
