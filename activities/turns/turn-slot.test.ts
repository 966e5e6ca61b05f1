import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { acceptMessage } from '../../db/turns/accept-message.ts';
import type { ClaimedTurn } from '../../db/turns/claim/claimed-turn.ts';
import { claimTurn } from '../../db/turns/claim/claim-turn.ts';
import { EMPTY_ALLOWLISTS, policyOf } from '../../domain/permissions/policy.ts';
import { ChatFixture } from '../../test/support/chat-fixture.ts';
import { insertAgent, insertChat, insertOrg, insertUser } from '../../test/support/rows.ts';
import { serveTestDatabase } from '../../test/support/serve-test-database.ts';
import { TurnSlot } from './turn-slot.ts';

const database = serveTestDatabase({ poolSize: 8 });
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
  const { orgId } = chat.ref;
  await chat.accept();
  const claimed = await claimTurn(database, chat.ref);
  if (claimed === undefined) throw new Error('no turn is open');
  await database.system.query(
    `insert into token_usage (turn_id, step, org_id, chat_id, user_id, model, input_tokens, output_tokens, estimated)
      values ($1, 0, $2, $3, $4, 'm', 8, 4, false)`,
    [claimed.id, orgId, chat.ref.chatId, chat.userId],
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

describe('many short turns of a user', () => {
  test.each([1, 2])('all get one of %d slots, though none checks by itself', async (maxConcurrentAgents) => {
    const orgId = await insertOrg(database);
    const [userId, agentId] = [await insertUser(database, [orgId]), await insertAgent(database, orgId)];
    const policy = policyOf('member', [{ ...GROUP, limits: { ...GROUP.limits, tokenBudget: 0, maxConcurrentAgents } }]);
    const wakes = new Map<string, () => void>();
    database.onDueWork((work) => void (work.kind === 'chat' && wakes.get(work.chatId)?.()));

    /** Takes the turn of a chat as a worker does; one that nobody wakes would wait for ever. */
    const take = async (chatId: string) => {
      for (;;) {
        const woken = new Promise<void>((resolve) => wakes.set(chatId, resolve));
        const turn = await claimTurn(database, { orgId, chatId });
        if (turn === undefined) throw new Error('no turn is open');
        const { id: turnId, attempt, step } = turn;
        const slot = new TurnSlot({ database }, { ...turn, policy });
        if ((await slot.acquire({ orgId, turnId, attempt, step })) === 'acquired') {
          await database.system.query("update turns set status = 'completed', ended_at = now() where id = $1", [
            turnId,
          ]);
          return slot.release(orgId);
        }
        await woken;
      }
    };

    const chats: string[] = [];
    for (let count = 0; count < 24; count += 1) chats.push(await insertChat(database, { orgId, userId, agentId }));
    for (let round = 0; round < 2; round += 1) {
      for (const chatId of chats)
        await acceptMessage(database, { orgId, userId }, { chatId, content: 'x', clientMessageId: undefined });
      await Promise.all(chats.map(take));
    }
    const { rows } = await database.system.query(
      'select status, count(*)::int as count from turns where user_id = $1 group by status',
      [userId],
    );
    expect(rows).toEqual([{ status: 'completed', count: 48 }]);
  });
});
