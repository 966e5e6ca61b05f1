import { describe, expect, test } from '@jest/globals';
import { SecretBox } from '../../db/core/secret-box.ts';
import type { TurnProfile } from '../../db/model-profiles.ts';
import type { TurnAccount } from '../../db/providers/for-turn.ts';
import { AccountUse, modelCandidates } from './model-candidates.ts';
import { ProviderFailure } from './failures/provider-failure.ts';

const NOW = 1_000_000;
const box = new SecretBox(['a-secret-key-that-only-the-tests-know']);

const account = (id: string, providerType: string, fields: Partial<TurnAccount> = {}): TurnAccount => ({
  id,
  orgId: 'org',
  providerType,
  name: id.toUpperCase(),
  credentials: null,
  modelName: null,
  baseUrl: null,
  cooldownSeconds: 60,
  cooldownUntil: null,
  disabledReason: null,
  lastUsedAt: null,
  hasFailed: false,
  ...fields,
});
const chainOf = (...steps: [type: string, model?: string][]) => ({
  name: 'Main',
  steps: steps.map(([type, model]) => ({ provider_type: type, model_name: model ?? null })),
  isBinding: false,
});

interface Given {
  readonly accounts: readonly TurnAccount[];
  readonly chain?: ReturnType<typeof chainOf>;
  readonly modelPref?: string;
  readonly profile?: TurnProfile;
  readonly uses?: AccountUse;
}

const choose = ({ accounts, chain, modelPref, profile, uses = new AccountUse() }: Given) =>
  modelCandidates(
    { box, accountUse: uses, now: NOW },
    {
      accounts: { usable: accounts },
      chain: chain ?? null,
      agent: { modelPref: modelPref ?? null, profile: profile ?? null },
    },
  );
const asked = (given: Given) => choose(given).candidates.map(({ accountId, open }) => `${accountId} ${open().model}`);

describe('modelCandidates', () => {
  test('is the demo model alone when the organization has no account at all', () => {
    for (const given of [{ accounts: [] }, { accounts: [], chain: chainOf(['openai']) }]) {
      const { candidates, blockedReason } = choose(given);
      expect([candidates.map(({ accountId, open }) => [accountId, open().streamType]), blockedReason]).toEqual([
        [[null, 'demo']],
        undefined,
      ]);
    }
  });

  test('takes the model of the step, then of the agent, then of the account, then of the catalog', () => {
    const accounts = [account('a', 'openai', { modelName: 'own' }), account('b', 'openai')];
    expect(asked({ accounts, chain: chainOf(['openai', 'large']), modelPref: 'preferred' })).toEqual([
      'a large',
      'b large',
    ]);
    expect(asked({ accounts, modelPref: 'preferred' })).toEqual(['a preferred', 'b preferred']);
    expect(asked({ accounts })).toEqual(['a own', 'b gpt-6.1-sol']);
  });

  test("asks a stand-in of another type for the agent's model only when it may have it", () => {
    const accounts = [
      account('a', 'openai'),
      account('b', 'anthropic'),
      account('c', 'azure', { baseUrl: 'https://models.example.com/v1' }),
      account('d', 'openai-compatible', { baseUrl: 'https://models.example.com/v1' }),
    ];
    expect(asked({ accounts, modelPref: 'gpt-6-sol' })).toEqual([
      'a gpt-6-sol',
      'b claude-sonnet-5-5',
      'c gpt-6-sol',
      'd gpt-6-sol',
    ]);
    expect(asked({ accounts, modelPref: 'gpt-private' })).toEqual([
      'a gpt-private',
      'b claude-sonnet-5-5',
      'c gpt-6-sol',
      'd gpt-private',
    ]);
  });

  test("keeps the agent's model from a stand-in also while the first type cools down", () => {
    const accounts = [account('a', 'openai', { cooldownUntil: new Date(NOW + 1) }), account('b', 'anthropic')];
    expect(asked({ accounts, modelPref: 'gpt-private' })).toEqual(['b claude-sonnet-5-5']);
  });

  test('spreads turns that begin at once over the accounts of a step', () => {
    const accounts = [account('a', 'openai'), account('b', 'openai', { lastUsedAt: new Date(NOW - 5) })];
    const uses = new AccountUse();
    const firsts = Array.from({ length: 4 }, (_, index) => {
      const id = choose({ accounts, chain: chainOf(['openai']), uses }).candidates[0]?.accountId ?? '';
      uses.used(id, NOW + index);
      return id;
    });
    expect(firsts).toEqual(['a', 'b', 'a', 'b']);
  });

  test('fails to open an account that lacks something, and leaves the others open', () => {
    const [first, second] = choose({
      accounts: [account('a', 'openai-compatible'), account('b', 'openai')],
    }).candidates;
    expect(() => first?.open()).toThrow(ProviderFailure);
    expect(second?.open().model).toBe('gpt-6.1-sol');
  });

  test('says when an account is back, and refuses nothing, when all cool down', () => {
    const accounts = [
      account('a', 'openai', { cooldownUntil: new Date(NOW + 2_000) }),
      account('b', 'openai', { cooldownUntil: new Date(NOW + 1_000) }),
      account('c', 'openai', { disabledReason: 'wrong key' }),
    ];
    const expected = {
      candidates: [],
      hasSteps: true,
      coolingUntil: new Date(NOW + 1_000),
      blockedReason: undefined,
    };
    expect(choose({ accounts, chain: chainOf(['openai']) })).toEqual(expected);
  });

  test.each([
    [
      'all are disabled',
      { accounts: [account('a', 'openai', { disabledReason: 'wrong key' })] },
      'Every account is disabled: A (wrong key). New credentials or a successful test enable it again',
    ],
    [
      'many are disabled',
      {
        accounts: ['a', 'b', 'c', 'd', 'e'].map((id) => account(id, 'openai', { disabledReason: 'no' })),
        chain: chainOf(['openai']),
      },
      'Every account of the provider chain "Main" is disabled: A (no), B (no), C (no), 2 more.',
    ],
    [
      'the chain names types without an account',
      { accounts: [account('a', 'openai')], chain: chainOf(['google'], ['anthropic'], ['google', 'x'], ['demo']) },
      'No account of the provider chain "Main" exists: add one of the type google or anthropic, or change the chain',
    ],
    [
      'the chain names the demo only, beside real accounts',
      { accounts: [account('a', 'openai')], chain: chainOf(['demo']) },
      'No account of the provider chain "Main" exists: the demo model is not used beside real accounts; change the chain',
    ],
  ])('says why there is nobody to ask when %s', (_when, given, words) => {
    const { candidates, coolingUntil, blockedReason } = choose(given);
    expect([candidates, coolingUntil]).toEqual([[], null]);
    expect(blockedReason).toContain(words);
  });
});

describe('a model profile', () => {
  const accounts = [account('a', 'openai'), account('b', 'anthropic')];
  const typed = { name: 'Careful', providerType: 'anthropic', modelName: 'claude-large', chain: null };
  const chained = { name: 'Cheap', providerType: null, modelName: null, chain: chainOf(['openai', 'small']) };

  test("replaces the agent's chain by its model, or by its chain", () => {
    const given = { accounts, chain: chainOf(['openai', 'large']), modelPref: 'profile:x' };
    expect(asked({ ...given, profile: typed })).toEqual(['b claude-large']);
    expect(asked({ ...given, profile: chained })).toEqual(['a small']);
    expect(choose({ ...given, profile: typed }).hasSteps).toBe(true);
  });

  test('leaves a chain that a group or the chat has chosen, and gives its model where that may be had', () => {
    const chain = { ...chainOf(['anthropic'], ['openai', 'large']), isBinding: true };
    expect(asked({ accounts, chain, modelPref: 'profile:Careful', profile: typed })).toEqual([
      'b claude-large',
      'a large',
    ]);
    expect(asked({ accounts, chain, profile: chained })).toEqual(['b claude-sonnet-5-5', 'a large']);
  });

  test('that does not exist, or has lost its chain, leaves nobody to ask, in words', () => {
    const unknown = choose({ accounts, modelPref: 'profile: Gone ' });
    expect([unknown.candidates, unknown.blockedReason]).toEqual([
      [],
      'The agent asks for the model profile "Gone", which does not exist: add it, or change model_pref',
    ]);
    expect(choose({ accounts: [], modelPref: 'profile:Gone' }).candidates).toEqual([]);
    const bare = choose({ accounts, profile: { ...typed, providerType: null } });
    expect(bare.blockedReason).toContain('The provider chain of the model profile "Careful" was deleted');
  });

  test('for which no account exists says which one to add', () => {
    const { blockedReason } = choose({ accounts, profile: { ...typed, providerType: 'groq' } });
    expect(blockedReason).toBe(
      'No account of the model profile "Careful" exists: add one of the type groq, or change the profile',
    );
  });
});
