import { describe, expect, test } from '@jest/globals';
import { evaluateRoleChange, isAtLeast, mayGrant, parseOrgLimits } from './orgs.ts';
import { type Role, ROLES } from './permissions/keys.ts';

/** Returns the kind of a change, or the code of the error. */
function evaluate(caller: Role, target: Role, to: Role, isSelf = false): string {
  try {
    return evaluateRoleChange({ caller, target, isSelf }, to);
  } catch (error) {
    return (error as { code: string }).code;
  }
}

const all = ROLES.flatMap((target) => ROLES.map((to) => ({ target, to })));

describe('evaluateRoleChange', () => {
  test.each(all)('lets the owner make a $target a $to', ({ target, to }) => {
    const expected = to === 'owner' ? 'transfer' : target === to ? 'none' : 'change';
    expect(evaluate('owner', target, to)).toBe(target === 'owner' && to !== 'owner' ? 'conflict' : expected);
  });

  test.each(all)('lets an admin change only those below, and only to roles below: $target to $to', ({ target, to }) => {
    const isAllowed = !isAtLeast(target, 'admin') && !isAtLeast(to, 'admin');
    expect(evaluate('admin', target, to)).toBe(isAllowed ? (target === to ? 'none' : 'change') : 'forbidden');
  });

  test.each(all.flatMap((pair) => (['viewer', 'member'] as const).map((caller) => ({ ...pair, caller }))))(
    'lets a $caller change nobody: $target to $to',
    ({ caller, target, to }) => {
      expect(evaluate(caller, target, to)).toBe('forbidden');
    },
  );

  test('lets an admin step down, and nobody step up', () => {
    expect(evaluate('admin', 'admin', 'viewer', true)).toBe('change');
    expect(evaluate('member', 'member', 'admin', true)).toBe('forbidden');
    expect(evaluate('admin', 'admin', 'owner', true)).toBe('forbidden');
  });

  test('keeps the owner who would step down, and changes nothing when they make themselves the owner', () => {
    expect(evaluate('owner', 'owner', 'member', true)).toBe('conflict');
    expect(evaluate('owner', 'owner', 'owner', true)).toBe('none');
  });
});

describe('mayGrant', () => {
  test('leaves the role admin to the owner', () => {
    expect(ROLES.map((role) => [mayGrant('owner', role), mayGrant('admin', role), mayGrant('member', role)])).toEqual([
      [true, true, false],
      [true, true, false],
      [true, false, false],
      [true, false, false],
    ]);
  });
});

describe('parseOrgLimits', () => {
  test('keeps the default of what is not named', () => {
    const defaults = parseOrgLimits('');
    expect(defaults).toMatchObject({ agents: 1_000, chats: 20_000, apiKeys: 50, messageBytes: 5_368_709_120 });
    expect(parseOrgLimits(' agents=5 , message_bytes=2GB,api_keys=0')).toEqual({
      ...defaults,
      agents: 5,
      messageBytes: 2_147_483_648,
      apiKeys: Number.MAX_SAFE_INTEGER,
    });
  });

  test.each(['agents', 'agents=', 'agents=-1', 'agents=1.5', 'agent=1', 'apiKeys=1', 'agents=5TB', 'agents=1;chats=2'])(
    'refuses %j',
    (text) => {
      expect(() => parseOrgLimits(text)).toThrow('must be a list like agents=50');
    },
  );
});
