import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { TurnPublisher } from '../../db/stream/turn-publisher.ts';
import type { ClaimedTurn } from '../../db/turns/claim/claimed-turn.ts';
import { claimTurn } from '../../db/turns/claim/claim-turn.ts';
import { storeStep } from '../../db/turns/steps/store-step.ts';
import { ChatFixture } from '../../test/support/chat-fixture.ts';
import { serveTestDatabase } from '../../test/support/serve-test-database.ts';
import { type TurnDeps, TurnStep } from './turn-step.ts';
import { usageOf } from '../../test/support/step-usage.ts';

const database = serveTestDatabase({ poolSize: 2 });

async function claim(chat: ChatFixture): Promise<ClaimedTurn> {
  const turn = await claimTurn(database, chat.ref);
  if (turn === undefined) throw new Error('no turn is open');
  return turn;
}

/** Stores a reply with text and a tool call, which nobody runs. */
async function callTool({ ref: { orgId } }: ChatFixture, turn: ClaimedTurn, text: string): Promise<void> {
  const call = { id: randomUUID(), name: 'time_now', label: 'Time', arguments: {}, effect: 'read' as const };
  const usage = usageOf({ inputTokens: 1, outputTokens: 1 });
  const step = { orgId, turnId: turn.id, attempt: turn.attempt, step: turn.step };
  await storeStep(database, step, {
    text,
    rawText: null,
    state: null,
    usage,
    calls: [{ ...call, outcome: undefined, delegation: undefined }],
  });
}

describe('a turn that is stopped while calls are open', () => {
  test.each([1, 2])('keeps its text and lists its calls, in step %d', async (steps) => {
    const chat = await ChatFixture.create(database);
    await chat.accept();
    for (let step = 1; step <= steps; step += 1) {
      await callTool(chat, await claim(chat), `Look ${step}.`);
      if (step < steps) await database.system.query("update tool_calls set status = 'success', result = '1'");
    }
    await database.system.query('update turns set interrupt_requested_at = now() where chat_id = $1', [
      chat.ref.chatId,
    ]);
    const publisher = new TurnPublisher(database, () => undefined);
    const deps = { database, publisher } as unknown as TurnDeps;
    const turn = await claim(chat);
    await new TurnStep(deps, chat.ref, turn, new AbortController().signal).take();
    await publisher.drain();
    const { rows } = await database.system.query(
      "select content, metadata from messages where chat_id = $1 and role = 'assistant'",
      [chat.ref.chatId],
    );
    expect(rows).toMatchObject([
      { content: ['Look 1.', 'Look 2.'].slice(0, steps).join('\n\n'), metadata: { tool_call_count: steps } },
    ]);
    expect(rows[0]?.metadata.tool_calls_detail.at(-1)).toMatchObject({ name: 'time_now', status: 'interrupted' });
  });
});

describe('a turn whose calls end their process again and again', () => {
  test('ends as failed, with its open calls closed', async () => {
    const chat = await ChatFixture.create(database);
    await database.system.query("insert into memberships (org_id, user_id, role) values ($1, $2, 'owner')", [
      chat.ref.orgId,
      chat.userId,
    ]);
    await chat.accept();
    for (const tries of [4, 12, 7]) {
      await callTool(chat, await claim(chat), 'Look.');
      const isLast = tries === 7;
      await database.system.query(
        `update tool_calls set tries = $2, status = $3 from turns t
         where t.id = tool_calls.turn_id and t.chat_id = $1 and tool_calls.status = 'planned'`,
        [chat.ref.chatId, tries, isLast ? 'running' : 'error'],
      );
    }
    const turn = await claim(chat);
    expect(turn).toMatchObject({ stepTries: 1, lostCallTries: 3 + 11 + 6 });
    const publisher = new TurnPublisher(database, () => undefined);
    const deps = { database, publisher } as unknown as TurnDeps;
    await new TurnStep(deps, chat.ref, turn, new AbortController().signal).take();
    await publisher.drain();
    const { rows } = await database.system.query(
      "select metadata from messages where chat_id = $1 and role = 'assistant'",
      [chat.ref.chatId],
    );
    expect(rows).toMatchObject([
      { metadata: { status: 'failed', error: expect.stringContaining('failed each time') } },
    ]);
    expect(rows[0]?.metadata.tool_calls_detail.at(-1)).toMatchObject({ status: 'interrupted' });
  });
});

test('a turn ends as failed, and says why, when three processes have ended while they read its conversation', async () => {
  const chat = await ChatFixture.create(database);
  await database.system.query("insert into memberships (org_id, user_id, role) values ($1, $2, 'owner')", [
    chat.ref.orgId,
    chat.userId,
  ]);
  await chat.accept();
  await database.system.query('update turns set unfinished_reads = 3 where chat_id = $1', [chat.ref.chatId]);
  const publisher = new TurnPublisher(database, () => undefined);
  const deps = { database, publisher } as unknown as TurnDeps;
  await new TurnStep(deps, chat.ref, await claim(chat), new AbortController().signal).take();
  await publisher.drain();
  const { rows } = await database.system.query(
    "select content, metadata from messages where chat_id = $1 and role = 'assistant'",
    [chat.ref.chatId],
  );
  const error = expect.stringContaining('broke down 3 times while it read this long conversation');
  expect(rows).toMatchObject([{ content: error, metadata: { status: 'failed', error } }]);
});
