import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { ChatFixture } from '../../test/support/chat-fixture.ts';
import { countAllUsage } from '../../test/support/count-all-usage.ts';
import { insertChat } from '../../test/support/rows.ts';
import { serveTestDatabase } from '../../test/support/serve-test-database.ts';
import { purgeDeletedChats, restoreChat } from './delete-chat.ts';

const database = serveTestDatabase({ poolSize: 2 });
const query = async (text: string, values: readonly unknown[]) => (await database.system.query(text, [...values])).rows;

const TRACE = JSON.stringify([{ at: '2026-11-21T00:00:00Z', tries: [{ reason: randomBytes(2_000).toString('hex') }] }]);

/** A chat with a turn that has ended, which was deleted so many days ago; it is counted. */
async function deletedChat(days: number): Promise<ChatFixture> {
  const chat = await ChatFixture.create(database);
  await chat.accept();
  const { chatId, orgId } = chat.ref;
  await query("update turns set status = 'completed', ended_at = now(), trace = $2 where chat_id = $1", [
    chatId,
    TRACE,
  ]);
  await query(
    `insert into model_steps (turn_id, step, org_id, text, trace) select id, 0, org_id, '', trace from turns
      where chat_id = $1`,
    [chatId],
  );
  await query(
    `insert into token_usage (turn_id, step, org_id, chat_id, user_id, model, input_tokens, output_tokens, estimated)
      select id, 0, org_id, chat_id, user_id, 'm', 7, 3, false from turns where chat_id = $1`,
    [chatId],
  );
  await countAllUsage(database);
  const at = "now() - $2::int * interval '1 day'";
  await query(`update chats set deleted_at = ${at} where id = $1`, [chatId, days]);
  const { userId, agentId } = chat;
  const belowId = await insertChat(database, { orgId, userId, agentId });
  await query(`update chats set parent_chat_id = $3, deleted_at = ${at} where id = $1`, [belowId, days, chatId]);
  return chat;
}

const purge = async () => (await purgeDeletedChats(database, { days: 30 })).chats.map(({ chatId }) => chatId);
const chatsOf = async ({ ref }: ChatFixture) => query('select id from chats where org_id = $1', [ref.orgId]);
const usageOf = async ({ ref }: ChatFixture) =>
  (
    await query('select message_bytes::int as bytes, chats_made::int as made from org_usage where org_id = $1', [
      ref.orgId,
    ])
  )[0];

describe('a deleted chat', () => {
  test('is removed after so many days with all below it, no longer counts, and what was spent in it stays', async () => {
    const chat = await deletedChat(31);
    expect(await usageOf(chat)).toMatchObject({ made: 1, bytes: expect.any(Number) });
    // The traces of its turn and of its step, which random text keeps from being compressed by much.
    expect((await usageOf(chat))?.bytes).toBeGreaterThan(2 * 2_000);
    const purged = await purge();
    expect(purged).toContain(chat.ref.chatId);
    expect(purged).toHaveLength(2);
    expect(await chatsOf(chat)).toEqual([]);
    expect(await query('select from messages where chat_id = $1', [chat.ref.chatId])).toEqual([]);
    expect(await usageOf(chat)).toEqual({ made: 0, bytes: 0 });
    const spent = 'select input_tokens + output_tokens as tokens from token_usage where org_id = $1';
    expect(await query(spent, [chat.ref.orgId])).toEqual([{ tokens: 10 }]);
    expect(await purge()).toEqual([]);
  });

  test('stays before that, and when it was restored', async () => {
    const [young, restored] = [await deletedChat(29), await deletedChat(31)];
    const owner = { orgId: restored.ref.orgId, userId: restored.userId };
    await restoreChat(database, owner, { chatId: restored.ref.chatId, maxChats: 10 });
    expect(await purge()).toEqual([]);
    expect([await chatsOf(young), await chatsOf(restored)]).toMatchObject([{ length: 2 }, { length: 2 }]);
  });

  test('stays while its turn is open', async () => {
    const chat = await deletedChat(31);
    await query("update turns set status = 'running', ended_at = null where chat_id = $1", [chat.ref.chatId]);
    expect(await purge()).toEqual([]);
    await query("update turns set status = 'failed', ended_at = now() where chat_id = $1", [chat.ref.chatId]);
    expect(await purge()).toContain(chat.ref.chatId);
  });
});
