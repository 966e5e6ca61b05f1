import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Client } from '@temporalio/client';
import type { Database } from '../../db/core/index.ts';
import { connectDatabase } from '../../db/orm/index.ts';
import { acceptMessage } from '../../db/turns/index.ts';
import { ChatFixture } from '../../test/support/chat-fixture.ts';
import { insertChat } from '../../test/support/rows.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-database.ts';
import { BATCH } from './sweep.ts';
import { wakeDueTurns } from './turns.ts';

let place: TestDatabase;
let database: Database;
beforeAll(async () => {
  place = await createTestDatabase();
  database = await connectDatabase({ url: place.url, poolSize: 4 });
});
afterAll(async () => {
  await database.close();
  await place.drop();
});

/** Returns an engine that rejects what it is asked for a chat in `failing`. */
function engineThatFails(failing: ReadonlySet<string>) {
  const asked: string[] = [];
  const take = async (_type: string, { args: [{ chatId }] }: { args: [{ chatId: string }] }) => {
    asked.push(chatId);
    if (failing.has(chatId)) throw new Error('the engine is busy');
  };
  const withDeadline = async (_deadline: number, work: () => Promise<void>) => work();
  const client = { withDeadline, workflow: { start: take, signalWithStart: take } } as unknown as Client;
  return { client, asked };
}

/** Returns what a sweep works with: an engine that rejects what is in `failing`, and the chats that were taken up. */
function sweepDeps(failing: Iterable<string> = []) {
  const taken: string[] = [];
  const { client, asked } = engineThatFails(new Set(failing));
  return {
    deps: {
      database,
      client,
      takeUp: ({ chatId }: { chatId: string }) => void taken.push(chatId),
    },
    asked,
    taken,
  };
}

async function acceptTurns(count: number): Promise<string[]> {
  const {
    place: { orgId },
    userId,
    agentId,
  } = await ChatFixture.create(database);
  const chatIds: string[] = [];
  for (let made = 0; made < count; made += 1) {
    const chatId = await insertChat(database, { orgId, userId, agentId });
    await acceptMessage(database, { orgId, userId }, { chatId, content: 'x', clientMessageId: undefined });
    chatIds.push(chatId);
  }
  return chatIds;
}

test('a due turn is woken although as many as one run takes on fail before it', async () => {
  const sweep = wakeDueTurns();
  await sweep.run(sweepDeps().deps);
  const failing = await acceptTurns(BATCH);
  const [last = ''] = await acceptTurns(1);
  await database.system.query(
    "update turns set next_wake_at = now() - case when chat_id = $1 then interval '1 second' else interval '1 minute' end",
    [last],
  );
  const { deps, asked, taken } = sweepDeps(failing);
  await expect(sweep.run(deps)).rejects.toThrow('the engine is busy');
  expect(asked).not.toContain(last);
  await sweep.run(deps);
  expect(asked).toContain(last);
  expect(asked).toHaveLength(BATCH + 1);
  // A turn is begun only once its workflow is sure to follow it.
  expect(taken).toEqual([last]);
});

test('a due turn is left alone while a process holds its lease, and taken up when that has run out', async () => {
  const sweep = wakeDueTurns();
  await sweep.run(sweepDeps().deps);
  const [held = ''] = await acceptTurns(1);
  await database.system.query(
    `update turns set status = 'running', runner = gen_random_uuid(), lease_until = now() + interval '1 minute',
      next_wake_at = now() where chat_id = $1`,
    [held],
  );
  await database.system.query("update turns set next_wake_at = now() + interval '1 hour' where chat_id <> $1", [held]);
  const { deps, asked, taken } = sweepDeps();
  await sweep.run(deps);
  expect(asked).not.toContain(held);
  await database.system.query('update turns set lease_until = now() where chat_id = $1', [held]);
  await sweep.run(deps);
  expect([asked, taken]).toEqual([[held], [held]]);
});
