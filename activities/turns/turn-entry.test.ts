import { describe, expect, test } from '@jest/globals';
import type { ClaimedTurn } from '../../db/turns/index.ts';
import { policyOf } from '../../domain/permissions/index.ts';
import { TurnEntry } from './turn-entry.ts';

const BUDGET = { tokens: 10, windowHours: 0 };
const NOTHING = { agentIds: [], skillKeys: [], toolKeys: [], personaIds: [], providerIds: [], chainIds: [] };
const group = {
  id: 'g',
  permissions: [],
  limits: { tokenBudget: 10, tokenWindowHours: 0, maxConcurrentAgents: 0, maxProviderAccounts: 0 },
  allowlists: NOTHING,
  defaultChainId: null,
};

/** Asks at the door for a turn whose user has used up their budget. */
async function admit(fields: Partial<ClaimedTurn>) {
  const turn = {
    userId: 'u',
    seq: 1,
    parentTurnId: null,
    step: 0,
    stepTries: 1,
    waitingSince: null,
    slot: null,
    policy: policyOf('member', [group]),
    ...fields,
  } as ClaimedTurn;
  const used = [{ ...BUDGET, usedTokens: 12, freeAt: null }];
  const database = { tenant: { series: async () => [used] } };
  const deps = { database, wakeChat: async () => undefined } as unknown as ConstructorParameters<typeof TurnEntry>[0];
  return new TurnEntry(deps, turn).admit({ orgId: 'o', turnId: 't', attempt: turn.stepTries, step: turn.step });
}

describe('a turn whose budget is used up', () => {
  test.each([
    ['takes its first step', {}],
    ['takes its first step again, because whoever began it has died', { stepTries: 2 }],
  ])('is refused when it %s', async (_when, fields) => {
    expect(await admit(fields)).toEqual({ refusal: expect.stringContaining('token budget is used up') });
  });

  test.each([
    ['has taken a step', { step: 1 }],
    ['has waited for a provider', { waitingSince: new Date() }],
    ['is part of the turn above it', { parentTurnId: 'p' }],
  ])('goes on when it %s', async (_when, fields) => {
    expect(await admit(fields)).toBe('admitted');
  });
});
