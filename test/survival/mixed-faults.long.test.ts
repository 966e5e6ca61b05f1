import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { conversationId } from '../../workflows/turns/contract.ts';
import { say } from '../support/scripted-model/index.ts';
import type { SocketClient } from '../support/socket-client.ts';
import { type Part, TestStack } from '../support/test-stack.ts';
import {
  type Conversation,
  expectAnsweredOnce,
  newestMessage,
  openStream,
  readTurns,
  reopenSocket,
  shownTurns,
  startConversation,
} from '../support/test-stack-conversation.ts';
import { Random } from '../support/random.ts';
import { replayAll } from '../replay/replay.ts';
import { waitUntil } from '../support/wait-until.ts';

const SEED = 20_261_121;
const CHATS = 8;
const TURNS_OF_CHAT = 5;
// Each part once, two of them once more; the seed decides the order and the moments.
const VICTIMS: readonly Part[] = ['worker', 'api', 'temporal', 'postgres', 'worker', 'postgres'];
const ANSWER_WORDS = 25;
const WORD_EVERY_MS = 150;
/** Longer than all parts together take to come back on a busy machine. */
const ANSWER_LIMIT_MS = 900_000;
/** Requests to the model from one kill to the next, at most: all kills come before the last answer. */
const REQUESTS_BETWEEN = 3;

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
  stack.model.script((request) => say(answerTo(newestMessage(request)), { everyMs: WORD_EVERY_MS }));
});
afterAll(async () => stack.close());

test('every accepted message is answered once, counted once and shown as stored, when parts are killed at random', async () => {
  const conversations = await Promise.all(Array.from({ length: CHATS }, async () => startConversation(stack)));
  const nemesis = killParts();
  const sockets = await Promise.all(
    conversations.map(async (conversation, at) => {
      if (at % 2 === 0) return converseOverSockets(conversation, at);
      await converseOverStreams(conversation, at);
      return [];
    }),
  );
  const hits = await nemesis;
  process.stdout.write(`mixed faults, seed ${SEED}: ${VICTIMS.length} kills, ${hits} of them hit open turns\n`);
  expect(hits).toBeGreaterThanOrEqual(VICTIMS.length / 2);

  for (const socket of sockets.flat()) expectShownAsStored(socket);
  for (const [at, conversation] of conversations.entries()) await expectAllAnswered(conversation, at);
  expect(await stack.query("select id from turns where status in ('queued', 'running')")).toEqual([]);
  await expectHistoriesReplay(conversations);
});

async function killParts(): Promise<number> {
  const random = new Random(SEED);
  let hits = 0;
  for (const part of random.shuffle(VICTIMS)) {
    const last = stack.model.requests.length + 1 + random.below(REQUESTS_BETWEEN);
    await waitUntil('the next strike', () => (stack.model.requests.length > last ? true : undefined));
    const open = await stack.query("select id from turns where status = 'running'");
    if (open.length > 0) hits += 1;
    await stack.end(part).backUp();
  }
  return hits;
}

/**
 * A client that reconnects when it is cut off, then looks whether its message was answered, and else sends it again.
 */
async function converseOverSockets(conversation: Conversation, chat: number): Promise<SocketClient[]> {
  const sockets: SocketClient[] = [];
  for (const content of messagesOf(chat)) {
    for (;;) {
      const socket = await openOne(conversation, sockets);
      const seen = answersOrFaults(socket);
      // Only who looks after connecting cannot miss an end that comes in between.
      if (await isAnswered(conversation, content)) break;
      socket.send({ type: 'message', content, client_message_id: content });
      await waitUntil(
        `an answer to ${content}`,
        () => (answersOrFaults(socket) > seen || socket.closeCode !== undefined ? true : undefined),
        ANSWER_LIMIT_MS,
      );
    }
  }
  for (const socket of sockets) socket.close();
  return sockets;
}

async function openOne(conversation: Conversation, sockets: SocketClient[]): Promise<SocketClient> {
  const last = sockets.at(-1);
  if (last?.closeCode === undefined && last !== undefined) return last;
  const socket = await reopenSocket(conversation);
  sockets.push(socket);
  return socket;
}

/** A client that opens the stream of its message again, from where it was, as often as it is cut off. */
async function converseOverStreams(conversation: Conversation, chat: number): Promise<void> {
  for (const content of messagesOf(chat)) {
    let text = '';
    let lastEventId: string | undefined;
    let hasEnded = false;
    while (!hasEnded) {
      const stream = await openStream(conversation, { content, client_message_id: content }, lastEventId);
      await waitUntil('the stream to close', () => (stream.isDone ? true : undefined), ANSWER_LIMIT_MS);
      text += stream.text;
      lastEventId = stream.lastEventId ?? lastEventId;
      hasEnded = stream.events.some(({ event }) => event === 'stream_end');
    }
    expect(text).toBe(answerTo(content));
  }
}

function messagesOf(chat: number): string[] {
  return Array.from({ length: TURNS_OF_CHAT }, (_, turn) => `question-${chat}-${turn}`);
}

function answerTo(content: string): string {
  return Array.from({ length: ANSWER_WORDS }, (_, word) => `${content}-${word}`).join(' ');
}

async function isAnswered({ stack, chatId }: Conversation, content: string): Promise<boolean> {
  const turns = await waitUntil('the database to answer', () =>
    readTurns(stack, chatId, content).catch(() => undefined),
  );
  return turns.some(({ answers }) => answers.length > 0);
}

function answersOrFaults({ frames }: SocketClient): number {
  return frames.filter(({ type }) => type === 'stream_end' || type === 'error').length;
}

function expectShownAsStored(socket: SocketClient): void {
  // That a message could not be stored just now ends no turn.
  const frames = socket.frames.filter(({ type }) => type !== 'error');
  for (const { text, end } of shownTurns({ frames })) {
    if (end === undefined) expect(answerTo(text.split(/-\d+(?: |$)/, 1)[0] ?? '').startsWith(text)).toBe(true);
    else expect(text).toBe(end['content']);
  }
}

async function expectAllAnswered(conversation: Conversation, chat: number): Promise<void> {
  for (const content of messagesOf(chat)) {
    await expectAnsweredOnce(conversation, content, { content: answerTo(content) });
  }
}

async function expectHistoriesReplay(conversations: readonly Conversation[]): Promise<void> {
  const connection = await Connection.connect({ address: `127.0.0.1:${stack.ports.temporal}` });
  const client = new Client({ connection });
  const ids = conversations.map(({ user, chatId }) => conversationId({ orgId: user.orgId, chatId }));
  const histories = ids.map(async (workflowId) => ({
    workflowId,
    history: await client.workflow.getHandle(workflowId).fetchHistory(),
  }));
  const results = await replayAll(await Promise.all(histories));
  expect(results.filter(({ error }) => error !== undefined)).toEqual([]);
  await connection.close();
}
