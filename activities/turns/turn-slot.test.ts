import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Database } from '../../db/core/index.ts';
import { connectDatabase } from '../../db/orm/index.ts';
import { type ClaimedTurn, claimTurn } from '../../db/turns/index.ts';
import { EMPTY_ALLOWLISTS, policyOf } from '../../domain/permissions/index.ts';
import { ChatFixture } from '../../test/support/chat-fixture.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-database.ts';
import { TurnSlot } from './turn-slot.ts';

let testDatabase: TestDatabase;
let database: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = await connectDatabase({ url: testDatabase.url, poolSize: 2 });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

const GROUP = {
  id: 'g',
  permissions: [],
  limits: { tokenBudget: 10, tokenWindowHours: 0, maxConcurrentAgents: 0, maxProviderAccounts: 0 },
  allowlists: EMPTY_ALLOWLISTS,
  defaultChainId: null,
};

/** Asks for the slot of a turn whose user has used up their budget. */
async function acquire(fields: Partial<ClaimedTurn>) {
  const chat = await ChatFixture.create(database);
  const { orgId } = chat.place;
  await chat.accept();
  const claimed = await claimTurn(database, chat.place);
  if (claimed === undefined) throw new Error('no turn is open');
  await database.system.query(
    `insert into token_usage (turn_id, step, org_id, chat_id, user_id, model, input_tokens, output_tokens, estimated)
      values ($1, 0, $2, $3, $4, 'm', 8, 4, false)`,
    [claimed.id, orgId, chat.place.chatId, chat.userId],
  );
  const turn = { ...claimed, policy: policyOf('member', [GROUP]), ...fields };
  const { id: turnId, attempt, step } = turn;
  return new TurnSlot({ database }, turn).acquire({ orgId, turnId, attempt, step });
}

describe('a turn whose budget is used up', () => {
  test.each([
    ['takes its first step', {}],
    ['takes its first step again, because whoever began it has died', { stepTries: 2 }],
  ])('is refused when it %s', async (_when, fields) => {
    expect(await acquire(fields)).toEqual({ blockedReason: expect.stringContaining('token budget is used up') });
  });

  test.each([
    ['has taken a step', { step: 1 }],
    ['has waited for a provider', { waitingSince: new Date() }],
    ['is part of the turn above it', { parentTurnId: randomUUID() }],
  ])('goes on when it %s', async (_when, fields) => {
    expect(await acquire(fields)).toBe('acquired');
  });
});
