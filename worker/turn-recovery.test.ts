import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { pino } from 'pino';
import { acceptMessage } from '../db/turns/accept-message.ts';
import { ChatFixture } from '../test/support/chat-fixture.ts';
import { insertChat } from '../test/support/rows.ts';
import { serveTestDatabase } from '../test/support/serve-test-database.ts';
import { waitUntil } from '../test/support/wait-until.ts';
import { BATCH, endStoppedTurns, recoverDueTurns, TurnRecovery } from './turn-recovery.ts';

const database = serveTestDatabase({ poolSize: 4 });

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

/** Returns what the recovery works with: an engine that rejects what is in `failing`, and the chats it has taken up. */
function recoveryDeps(failing: Iterable<string> = []) {
  const taken: string[] = [];
  const stopped: string[] = [];
  const { client, asked } = engineThatFails(new Set(failing));
  const takeUp = ({ chatId }: { chatId: string }) => void taken.push(chatId);
  const endStopped = ({ chatId }: { chatId: string }) => void stopped.push(chatId);
  return { deps: { database, client, log: pino({ level: 'silent' }), takeUp, endStopped }, asked, taken, stopped };
}

async function acceptTurns(count: number): Promise<string[]> {
  const {
    ref: { orgId },
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

/** Counts the reads of due turns from now on. */
function countReads(): { readonly count: () => number } {
  const query = jest.spyOn(database.system, 'query');
  const isRead = ([statement]: readonly unknown[]) => (statement as { name?: string }).name === 'take-due-turns';
  return { count: () => query.mock.calls.filter(isRead).length };
}

const postpone = async () => database.system.query("update turns set next_wake_at = now() + interval '1 hour'");

beforeEach(async () => {
  await database.system.query('delete from turns');
});
afterEach(() => {
  jest.restoreAllMocks();
});

test('all due turns are woken, more than one read takes on, although as many fail before them', async () => {
  const failing = await acceptTurns(BATCH);
  const others = await acceptTurns(BATCH + 1);
  await database.system.query(
    "update turns set next_wake_at = now() - case when chat_id = any($1) then interval '1 minute' else interval '1 second' end",
    [failing],
  );
  const { deps, asked, taken } = recoveryDeps(failing);
  await expect(recoverDueTurns(deps)).rejects.toThrow('the engine is busy');
  expect(asked.toSorted()).toEqual(failing.toSorted());
  expect(await recoverDueTurns(deps)).toBe(true);
  // A turn is begun only once its workflow is sure to follow it.
  expect(taken.toSorted()).toEqual(others.toSorted());
});

test('a due turn is left alone while a process holds its lease, and resumed when that has run out', async () => {
  const [leased = ''] = await acceptTurns(1);
  await database.system.query(
    `update turns set status = 'running', runner = gen_random_uuid(), lease_until = now() + interval '1 minute',
      next_wake_at = now()`,
  );
  const { deps, asked, taken } = recoveryDeps();
  expect(await recoverDueTurns(deps)).toBe(true);
  expect(asked).toEqual([]);
  await database.system.query('update turns set lease_until = now()');
  expect(await recoverDueTurns(deps)).toBe(false);
  expect([asked, taken]).toEqual([[leased], [leased]]);
});

test('each of two workers that read at the same time takes other turns', async () => {
  const chats = await acceptTurns(BATCH + 10);
  await database.system.query('update turns set next_wake_at = now()');
  const [one, other] = [recoveryDeps(), recoveryDeps()];
  await Promise.all([recoverDueTurns(one.deps), recoverDueTurns(other.deps)]);
  expect([...one.taken, ...other.taken].toSorted()).toEqual(chats.toSorted());
});

test('a worker that starts takes every open turn as due, and reads no more once none is due soon', async () => {
  const chats = await acceptTurns(3);
  await postpone();
  const { deps, taken } = recoveryDeps();
  const reads = countReads();
  const recovery = new TurnRecovery(deps);
  await waitUntil('all to be taken up', () => (taken.length === chats.length ? true : undefined));
  expect(taken.toSorted()).toEqual(chats.toSorted());
  expect(reads.count()).toBe(1);
  await recovery.stop();
});

test('a turn that nobody has begun is started by a worker that heard of it, without further news', async () => {
  const { deps, taken } = recoveryDeps();
  const reads = countReads();
  const recovery = new TurnRecovery(deps);
  await waitUntil('the first read', () => (reads.count() > 0 ? true : undefined));
  const [chatId] = await acceptTurns(1);
  recovery.expectDue();
  await waitUntil('it to be taken up', () => (taken.length > 0 ? true : undefined));
  expect(taken).toEqual([chatId]);
  await recovery.stop();
});

test('a turn that was asked to stop is ended once it is the oldest of its chat, that of a sub-agent too', async () => {
  const [chatId = '', other = '', above = '', subChat = ''] = await acceptTurns(4);
  await database.system.query(
    `insert into turns (id, org_id, chat_id, user_id)
      select gen_random_uuid(), org_id, chat_id, user_id from turns where chat_id = $1`,
    [other],
  );
  await database.system.query(
    `update turns t set parent_turn_id = p.id, ancestor_ids = array[p.id] from turns p where t.chat_id = $1 and p.chat_id = $2`,
    [subChat, above],
  );
  const { deps, stopped } = recoveryDeps();
  expect(await endStoppedTurns(deps)).toBe(false);
  await database.system.query(
    `update turns t set interrupt_requested_at = now() - interval '1 second'
      where chat_id = any($1) or (chat_id = $2 and seq = (select max(seq) from turns where chat_id = $2))`,
    [[chatId, subChat], other],
  );
  expect(await endStoppedTurns(deps)).toBe(true);
  expect(stopped.toSorted()).toEqual([chatId, subChat].toSorted());
});

test('a turn that was asked to stop is ended while the engine lets the wake of another one hang', async () => {
  const { promise: hang, resolve: letGo } = Promise.withResolvers<void>();
  const asked: string[] = [];
  const start = async (_type: string, { args: [{ chatId }] }: { args: [{ chatId: string }] }) => {
    asked.push(chatId);
    await hang;
  };
  const withDeadline = async (_deadline: number, work: () => Promise<void>) => work();
  const client = { withDeadline, workflow: { start, signalWithStart: start } } as unknown as Client;
  const [hanging] = await acceptTurns(1);
  const { deps, stopped } = recoveryDeps();
  const recovery = new TurnRecovery({ ...deps, client });
  await waitUntil('the wake to hang', () => (asked.length > 0 ? true : undefined));
  expect(asked).toEqual([hanging]);
  const [chatId = ''] = await acceptTurns(1);
  await database.system.query('update turns set interrupt_requested_at = now() where chat_id = $1', [chatId]);
  recovery.expectDue();
  await waitUntil('it to be ended', () => (stopped.length > 0 ? true : undefined));
  expect(stopped).toContain(chatId);
  letGo();
  await recovery.stop();
});

test('turns that are due are tried again while the engine is away, and woken when it is back', async () => {
  const [chatId = ''] = await acceptTurns(1);
  const failing = new Set([chatId]);
  const { client, asked } = engineThatFails(failing);
  const { deps, taken } = recoveryDeps();
  const recovery = new TurnRecovery({ ...deps, client });
  await waitUntil('it to be tried twice', () => (asked.length >= 2 ? true : undefined));
  failing.clear();
  await waitUntil('it to be taken up', () => (taken.length > 0 ? true : undefined));
  expect(taken).toEqual([chatId]);
  await recovery.stop();
});
