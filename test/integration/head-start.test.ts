import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { READY_CHANNEL } from '../../db/turns/ready-turn.ts';
import { WAKE } from '../../workflows/core/contract.ts';
import { conversationId } from '../../workflows/turns/contract.ts';
import { EffectServer } from '../support/effect-server.ts';
import { expireLeases } from '../support/expire-leases.ts';
import { inLength } from '../support/in-length.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import type { TestWorker } from '../support/test-worker.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

let instance: TestInstance;
let outside: EffectServer;
let connection: Connection;
let temporal: Client;
let chat: OpenChat;

const conversationOf = ({ id, user }: OpenChat) =>
  temporal.workflow.getHandle(conversationId({ orgId: user.orgId, chatId: id }));

const isFollowed = async (of: OpenChat) =>
  conversationOf(of)
    .describe()
    .catch(() => undefined);

/** Waits until a conversation follows the chat and has completed; an answer can come before its workflow starts. */
async function untilCompleted(of: OpenChat): Promise<void> {
  await waitUntil('a workflow to follow the turn', async () => isFollowed(of));
  await conversationOf(of).result();
}

/** Waits until the chat's last conversation has completed; returns the types of its events. */
async function completedEvents(of: OpenChat): Promise<string[]> {
  await untilCompleted(of);
  const { events } = await conversationOf(of).fetchHistory();
  return (events ?? []).map((event) => Object.keys(event).find((key) => key.endsWith('EventAttributes')) ?? '');
}

async function turnsOf({ id }: OpenChat) {
  const { rows } = await instance.api.database.system.query<{ status: string; attempt: number }>(
    'select status, attempt from turns where chat_id = $1 order by seq',
    [id],
  );
  return rows;
}

const rounds = inLength(1, 4);

beforeAll(async () => {
  outside = await EffectServer.start();
  instance = await startTestInstance();
  connection = await Connection.connect({ address: instance.temporalAddress });
  temporal = new Client({ connection });
});
afterAll(async () => {
  await connection.close();
  await instance.close();
  outside.close();
});
beforeEach(async () => {
  chat = await OpenChat.create(instance);
});
afterEach(() => {
  process.kill(instance.temporalPid, 'SIGCONT');
  chat.close();
});

describe('a turn', () => {
  test('is answered while the engine stands still, and followed by its workflow once that goes on', async () => {
    process.kill(instance.temporalPid, 'SIGSTOP');
    await chat.post({ content: '[[say done]]' });
    const [answer] = await chat.waitForAnswers(1);
    expect(answer?.content).toBe('done');
    process.kill(instance.temporalPid, 'SIGCONT');
    await untilCompleted(chat);
    expect(await turnsOf(chat)).toEqual([{ status: 'completed', attempt: 1 }]);
  });

  test('whose news no worker hears is found by the recovery', async () => {
    await instance.api.database.system.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where query = $1 and datname = current_database()',
      [`listen "${READY_CHANNEL}"`],
    );
    await chat.post({ content: '[[say done]]' });
    const [answer] = await chat.waitForAnswers(1);
    expect(answer?.content).toBe('done');
  });

  test('that is short leaves no activity in the history, and the first one of a chat no timer', async () => {
    // A machine that is busy with other things may make any turn a long one.
    const events = await waitUntil('a short turn', async () => {
      const short = await chat.another();
      (await short.post({ content: '[[say done]]' })).close();
      await short.waitForAnswers(1);
      const recorded = await completedEvents(short);
      return recorded.some((type) => type.startsWith('activity')) ? undefined : recorded;
    });
    expect(events).toContain('markerRecordedEventAttributes');
    expect(events.filter((type) => type.startsWith('timer'))).toEqual([]);
  });

  test('that takes longer than a task of its workflow may is waited for by an activity, and answered once', async () => {
    await chat.post({ content: '[[hold long after 1 chunks]]' });
    const hasActivity = async () => ((await isFollowed(chat))?.raw.pendingActivities?.length === 1 ? true : undefined);
    await waitUntil('an activity to wait for it', hasActivity);
    instance.model.release('long');
    await chat.waitForAnswers(1);
    expect((await completedEvents(chat)).filter((type) => type.startsWith('activityTaskScheduled'))).toHaveLength(1);
    expect(await turnsOf(chat)).toEqual([{ status: 'completed', attempt: 1 }]);
  });

  test('after another one of the same chat has its conversation stay open', async () => {
    await chat.post({ content: '[[say done]]' });
    await chat.waitForAnswers(1);
    // A first conversation that is still open would follow the second turn too, and complete after it.
    await untilCompleted(chat);
    const first = await conversationOf(chat).describe();
    await chat.post({ content: '[[say done]]' });
    await chat.waitForAnswers(2);
    const isOpen = async () => {
      const { status, runId } = await conversationOf(chat).describe();
      return status.name === 'RUNNING' && runId !== first.runId ? true : undefined;
    };
    await waitUntil('the conversation to linger', isOpen);
    // On a busy machine the next message may come after the time for which it does.
    let answers = 2;
    await waitUntil('a conversation to follow two turns', async () => {
      const { runId } = await conversationOf(chat).describe();
      await chat.post({ content: '[[say done]]' });
      answers += 1;
      await chat.waitForAnswers(answers);
      return (await conversationOf(chat).describe()).runId === runId ? true : undefined;
    });
  });

  test('that waits behind a running one of its chat begins when that has ended, without the recovery', async () => {
    await chat.post({ content: '[[hold first after 1 chunks]]' });
    await waitUntil('the model to be asked', () =>
      instance.model.requests.at(-1)?.endedAt === null ? true : undefined,
    );
    await chat.post({ content: '[[say done]]' });
    instance.model.release('first');
    const answers = await chat.waitForAnswers(2);
    expect(answers.at(-1)?.content).toBe('done');
    expect((await turnsOf(chat)).map(({ attempt }) => attempt)).toEqual([1, 1]);
  });
});

test('a wake for an earlier turn that comes late does not end the turn that waits for its calls', async () => {
  const caller = await OpenChat.create(instance, { agent: { tools: ['http_request'] } });
  await caller.post({ content: '[[say done]]' });
  await caller.waitForAnswers(1);
  const call = JSON.stringify({ url: `${outside.url}/hold/call` });
  await caller.post({ content: `[[tool http_request ${call}]] [[then]] [[say called]]` });
  await waitUntil('the call to reach its server', () => (outside.at('/hold/call').length > 0 ? true : undefined));
  const { rows } = await instance.api.database.system.query<{ seq: number }>(
    `select seq from turns where chat_id = $1 and status = 'completed'`,
    [caller.id],
  );
  await conversationOf(caller).signal(WAKE, rows[0]?.seq);
  outside.release();
  const [, answer] = await caller.waitForAnswers(2);
  expect(answer?.content).toContain('called');
  caller.close();
});

describe('while the engine stands still', () => {
  const MESSAGES = 52;

  test('only so many turns are begun without it, and all are answered once and followed when it goes on', async () => {
    const chats = [chat];
    while (chats.length < MESSAGES) chats.push(await chat.another());
    process.kill(instance.temporalPid, 'SIGSTOP');
    for (const each of chats) (await each.post({ content: '[[say done]]' })).close();
    const answered = async () =>
      (await Promise.all(chats.map(turnsOf))).flat().filter(({ status }) => status === 'completed').length;
    await waitUntil('some to be answered', async () => ((await answered()) >= 40 ? true : undefined));
    expect(await answered()).toBeLessThan(MESSAGES);
    process.kill(instance.temporalPid, 'SIGCONT');
    for (const each of chats) await each.waitForAnswers(1);
    for (const each of chats) await waitUntil('a workflow to follow', async () => isFollowed(each));
    expect((await Promise.all(chats.map(turnsOf))).flat()).toHaveLength(MESSAGES);
  });
});

describe('with two workers', () => {
  let other: TestWorker;
  beforeAll(async () => {
    other = await instance.addWorker();
  });

  test('each turn is answered once, and by one model call', async () => {
    const asked = instance.model.requests.length;
    const chats = [chat];
    while (chats.length < 6) chats.push(await chat.another());
    for (let round = 1; round <= rounds; round += 1) {
      for (const each of chats) (await each.post({ content: '[[say done]]' })).close();
      for (const each of chats) await each.waitForAnswers(round);
    }
    expect(instance.model.requests.length - asked).toBe(chats.length * rounds);
    expect((await Promise.all(chats.map(turnsOf))).flat().every(({ attempt }) => attempt === 1)).toBe(true);
  });

  test('one whose worker dies before a workflow follows it is answered by the other', async () => {
    const dying = instance.workers.filter((worker) => worker !== other);
    const stopped = [instance.temporalPid, other.pid];
    try {
      for (const pid of stopped) process.kill(pid, 'SIGSTOP');
      await chat.post({ content: '[[hold dying after 1 chunks]]' });
      const isClaimed = async () => (await turnsOf(chat))[0]?.status === 'running' || undefined;
      await waitUntil('the turn to be claimed', isClaimed);
      await Promise.all(dying.map(async (worker) => worker.kill()));
      await expireLeases(instance.api.database);
    } finally {
      for (const pid of stopped) process.kill(pid, 'SIGCONT');
    }
    instance.model.release('dying');
    await chat.waitForAnswers(1);
    expect(await turnsOf(chat)).toEqual([{ status: 'completed', attempt: 2 }]);
  });
});
