import { describe, expect, test } from '@jest/globals';
import { Random } from '../../test/support/random.ts';
import { recordBy } from '../core/objects.ts';
import { ALLOWLISTS } from '../resources.ts';
import {
  EMPTY_ALLOWLISTS,
  type Grants,
  grantsOf,
  type GroupRules,
  permits,
  policyAllows,
  policyOf,
  type TokenBudget,
  uniteGrants,
} from './policy.ts';
import { isPermissionKey, PERMISSION_CATALOG, roleGrants, ROLES } from './keys.ts';

const KEYS = PERMISSION_CATALOG.map(({ key }) => key);
const RESTRICTED = ['viewer', 'member'] as const;
const ROUNDS = 150;

const NO_LIMITS = { tokenBudget: 0, tokenWindowHours: 0, maxConcurrentAgents: 0, maxProviderAccounts: 0 };

function group(fields: Partial<GroupRules> = {}): GroupRules {
  return { id: 'g', permissions: [], limits: NO_LIMITS, allowlists: EMPTY_ALLOWLISTS, defaultChainId: null, ...fields };
}

function randomGroup(random: Random): GroupRules {
  const some = () => (random.chance(0.4) ? [] : ['a', 'b', 'c', 'd'].filter(() => random.chance(0.5)));
  const limit = () => (random.chance(0.3) ? 0 : random.below(6));
  return {
    id: `g${random.below(1_000_000)}`,
    permissions: KEYS.filter(() => random.chance(0.2)),
    limits: {
      tokenBudget: limit(),
      tokenWindowHours: random.chance(0.3) ? 0 : random.below(5),
      maxConcurrentAgents: limit(),
      maxProviderAccounts: limit(),
    },
    allowlists: recordBy(ALLOWLISTS, 'name', some),
    defaultChainId: random.chance(0.5) ? null : `chain-${random.below(3)}`,
  };
}

/** Groups for a round, and the round's random numbers. A failure names its seed. */
function forRandomGroups(count: number, check: (groups: GroupRules[], random: Random) => void): void {
  for (let seed = 1; seed <= ROUNDS; seed += 1) {
    const random = new Random(seed);
    const groups = Array.from({ length: count }, () => randomGroup(random));
    try {
      check(groups, random);
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error });
    }
  }
}

/** Returns whether a user who has used so many tokens within each number of hours is blocked, by the rule itself. */
function isBlocked(budgets: readonly TokenBudget[], usedWithin: (hours: number) => number): boolean {
  return budgets.length > 0 && budgets.every(({ tokens, windowHours }) => usedWithin(windowHours) >= tokens);
}

const union = (groups: readonly GroupRules[]): Grants => {
  const [first, ...others] = groups.map(grantsOf);
  if (first === undefined) throw new Error('no group');
  return others.reduce(uniteGrants, first);
};

describe('the union of groups', () => {
  test('is the same in every order', () => {
    forRandomGroups(4, (groups, random) => {
      expect(union(random.shuffle(groups))).toEqual(union(groups));
      for (const role of ROLES) expect(policyOf(role, random.shuffle(groups))).toEqual(policyOf(role, groups));
    });
  });

  test('is the same however the groups are put together', () => {
    forRandomGroups(3, (groups) => {
      const [a, b, c] = groups.map(grantsOf) as [Grants, Grants, Grants];
      expect(uniteGrants(uniteGrants(a, b), c)).toEqual(uniteGrants(a, uniteGrants(b, c)));
    });
  });

  test('is not changed by a group that counts already', () => {
    forRandomGroups(3, (groups) => {
      expect(policyOf('member', [...groups, ...groups])).toEqual(policyOf('member', groups));
    });
  });

  test('takes nothing away that the groups before gave', () => {
    forRandomGroups(3, (groups) => {
      const before = policyOf('member', groups.slice(0, 2));
      const after = policyOf('member', groups);
      const things = ALLOWLISTS.flatMap(({ name: list }) => ['a', 'b', 'c', 'd', 'e'].map((id) => [list, id] as const));
      const lost = things.filter(([list, id]) => permits(before, list, id) && !permits(after, list, id));
      expect([...[...before.keys].filter((key) => !after.keys.has(key)), ...lost]).toEqual([]);
      for (const limit of ['maxConcurrentAgents', 'maxProviderAccounts'] as const) {
        const [was, is] = [before.limits[limit], after.limits[limit]];
        expect(is === 0 || (was !== 0 && is >= was)).toBe(true);
      }
    });
  });

  test('blocks exactly those whom every budget and window blocks', () => {
    forRandomGroups(3, (groups, random) => {
      const perHour = Array.from({ length: 6 }, () => random.below(3));
      const usedWithin = (hours: number) =>
        (hours === 0 ? perHour : perHour.slice(0, hours)).reduce((sum, used) => sum + used, 0);
      const isBlockedByEach = groups.every(
        ({ limits: { tokenBudget, tokenWindowHours } }) =>
          tokenBudget > 0 && usedWithin(tokenWindowHours) >= tokenBudget,
      );
      expect(isBlocked(policyOf('member', groups).limits.budgets, usedWithin)).toBe(isBlockedByEach);
    });
  });

  test('forces the chain of the group that was made first', () => {
    const [older, newer] = [group({ id: '1', defaultChainId: 'x' }), group({ id: '2', defaultChainId: 'y' })];
    expect(policyOf('member', [newer, older]).defaultChainId).toBe('x');
    expect(policyOf('member', [newer, group({ id: '0' })]).defaultChainId).toBe('y');
  });
});

describe('policyOf', () => {
  test('is what the role grants when there is no group', () => {
    for (const role of ROLES) {
      const policy = policyOf(role, []);
      expect(policy.isRestricted).toBe(false);
      for (const key of KEYS) expect(policyAllows(policy, key)).toBe(roleGrants(role, key));
      expect(policy.allowlists.agentIds).toBe('all');
    }
  });

  test('leaves owners and admins everything, whatever groups they are in', () => {
    forRandomGroups(2, (groups) => {
      for (const role of ['admin', 'owner'] as const) expect(policyOf(role, groups)).toEqual(policyOf(role, []));
    });
  });

  test('never gives more than the role grants: no viewer changes anything, no member the settings', () => {
    const everything = group({ permissions: KEYS });
    for (const role of RESTRICTED) {
      for (const key of policyOf(role, [everything]).keys) expect([key, roleGrants(role, key)]).toEqual([key, true]);
    }
    expect(policyAllows(policyOf('viewer', [everything]), 'agents.manage')).toBe(false);
    expect(policyAllows(policyOf('member', [everything]), 'settings.manage')).toBe(false);
  });

  test('grants nothing to a member of an empty group', () => {
    expect(policyOf('member', [group()])).toMatchObject({ isRestricted: true, keys: new Set() });
  });

  test('lets view come with manage, also for a viewer, and never the other way round', () => {
    const managing = group({ permissions: ['agents.manage'] });
    expect(policyAllows(policyOf('member', [managing]), 'agents.view')).toBe(true);
    expect(policyAllows(policyOf('viewer', [managing]), 'agents.view')).toBe(true);
    const viewing = group({ permissions: ['agents.view'] });
    expect(policyAllows(policyOf('member', [viewing]), 'agents.manage')).toBe(false);
  });

  test('lets a list that names only what was deleted allow nothing, and an empty one everything', () => {
    const closed = policyOf('member', [group({ allowlists: { ...EMPTY_ALLOWLISTS, agentIds: ['deleted'] } })]);
    expect(permits(closed, 'agentIds', 'another')).toBe(false);
    expect(permits(policyOf('member', [group()]), 'agentIds', 'another')).toBe(true);
  });

  test('lets the chain be used that it forces', () => {
    const lists = { ...EMPTY_ALLOWLISTS, chainIds: ['x'] };
    const policy = policyOf('member', [group({ allowlists: lists, defaultChainId: 'y' })]);
    expect(permits(policy, 'chainIds', 'y')).toBe(true);
  });

  test('takes 0 for the most generous limit, and all time for the least generous window', () => {
    const limits = (tokenBudget: number, tokenWindowHours: number, others: number) =>
      group({ limits: { tokenBudget, tokenWindowHours, maxConcurrentAgents: others, maxProviderAccounts: others } });
    expect(policyOf('member', [limits(100, 24, 3), limits(0, 1, 0)]).limits).toEqual({
      budgets: [],
      maxConcurrentAgents: 0,
      maxProviderAccounts: 0,
    });
    expect(policyOf('member', [limits(100, 0, 3), limits(100, 24, 5)]).limits).toEqual({
      budgets: [{ tokens: 100, windowHours: 24 }],
      maxConcurrentAgents: 5,
      maxProviderAccounts: 5,
    });
    expect(policyOf('member', [limits(500, 0, 1), limits(100, 24, 1)]).limits.budgets).toHaveLength(2);
  });

  test('ignores keys that a group still has but the catalog no longer does', () => {
    expect(policyOf('member', [group({ permissions: ['agents.fly', 'tasks.view'] })]).keys).toEqual(
      new Set(['tasks.view']),
    );
  });
});

describe('the catalog', () => {
  test('contains a view and a manage key once for each area, and two that stand alone', () => {
    const alone = ['ui.advanced_mode', 'chats.view_shared'];
    const areas = new Set(KEYS.filter((key) => !alone.includes(key)).map((key) => key.split('.')[0]));
    const expected = [...areas].flatMap((area) => [`${area}.view`, `${area}.manage`]);
    expect(KEYS.toSorted()).toEqual([...expected, ...alone].toSorted());
  });

  test.each(['agents.View', ' agents.view', 'agents.*', '*', 'agents', '', 'constructor', 'agents.view.manage'])(
    'has no key %j',
    (text) => {
      expect(isPermissionKey(text)).toBe(false);
    },
  );
});
