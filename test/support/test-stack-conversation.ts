import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { createChat, createProvider, registerUser, type TestUser } from './factories.ts';
import { type ServerFrame, SocketClient } from './socket-client.ts';
import { type JournalEntry, say } from './scripted-model/index.ts';
import { SseClient } from './sse-client.ts';
import type { TestStack } from './test-stack.ts';
import { waitUntil } from './wait-until.ts';

/** A user with a chat whose agent is played by the scripted model. */
export interface Conversation {
  readonly stack: TestStack;
  readonly user: TestUser;
  readonly chatId: string;
}

/** The stored messages of one turn. */
export interface StoredTurn {
  readonly id: string;
  readonly status: string;
  readonly attempt: number;
  readonly answers: string[];
  readonly usageRows: number;
}

/** The events that a viewer was shown of one turn over one connection. */
export interface ShownTurn {
  readonly text: string;
  readonly end: ServerFrame | undefined;
}

/** Registers a user whose provider account leads to the stack's scripted model, with one chat. */
export async function startConversation(stack: TestStack): Promise<Conversation> {
  const user = await registerUser(stack.url);
  await createProvider(user.client, stack.model.url);
  return { stack, user, chatId: await createChat(user.client) };
}

/** Opens the chat's socket as its user. */
export async function openSocket({ stack, user, chatId }: Conversation): Promise<SocketClient> {
  return SocketClient.connect(stack.url, chatId, user.accessToken);
}

/** Opens the chat's socket again, as often as that takes. */
export async function reopenSocket(conversation: Conversation): Promise<SocketClient> {
  return waitUntil('the socket to open again', () => openSocket(conversation).catch(() => undefined));
}

/** Sends the message over server-sent events, again and again until a stream opens. */
export async function openStream(
  { stack, user, chatId }: Conversation,
  body: { content: string; client_message_id: string },
  lastEventId?: string,
): Promise<SseClient> {
  const url = `${stack.url}/api/chats/${chatId}/stream`;
  return waitUntil('a stream to open', async () => {
    const stream = await SseClient.open({ url, token: user.accessToken, body, lastEventId }).catch(() => undefined);
    return stream?.status === 200 ? stream : undefined;
  });
}

/** Waits until a message is stored, which is when the service has accepted it. */
export async function waitUntilStored({ stack, chatId }: Conversation, clientMessageId: string): Promise<void> {
  await waitUntil('the message to be stored', async () =>
    (await readTurns(stack, chatId, clientMessageId)).length === 1 ? true : undefined,
  );
}

/** Waits until the answer to a message is stored, and returns its turn. */
export async function waitUntilAnswered({ stack, chatId }: Conversation, clientMessageId: string): Promise<StoredTurn> {
  return waitUntil(`the answer to ${clientMessageId}`, async () => {
    const [turn] = await readTurns(stack, chatId, clientMessageId).catch(() => []);
    return turn !== undefined && turn.answers.length > 0 ? turn : undefined;
  });
}

/** Reads how the attempts of a chat's only turn ended that did not come to an answer: `lost`, or `released`. */
export async function unfinishedAttempts({ stack, user, chatId }: Conversation): Promise<string[]> {
  const [turn] = await readTurns(stack, chatId);
  const path = `/api/chats/${chatId}/turns/${turn?.id}`;
  const { json } = await user.client.get<{ steps: { kind: string; status: string }[] }>(path);
  return json.steps.filter(({ kind }) => kind === 'attempt').map(({ status }) => status);
}

/** Returns the turns of a chat, or the one that answers one message, oldest first. */
export async function readTurns(stack: TestStack, chatId: string, clientMessageId?: string): Promise<StoredTurn[]> {
  return stack.query<StoredTurn>(
    `select t.id, t.status, t.attempt,
       (select coalesce(array_agg(a.content), '{}') from messages a where a.turn_id = t.id and a.role = 'assistant')
         as answers,
       (select count(*)::int from token_usage u where u.turn_id = t.id) as "usageRows"
     from turns t join messages m on m.turn_id = t.id and m.role = 'user'
     where t.chat_id = $1 and ($2::text is null or m.client_message_id = $2) order by t.seq`,
    [chatId, clientMessageId ?? null],
  );
}

/** Holds a message's turn against what is promised: answered once, counted once. */
export async function expectAnsweredOnce(
  { stack, chatId }: Conversation,
  clientMessageId: string,
  expected: { readonly status?: string; readonly content: string },
): Promise<void> {
  const turns = await readTurns(stack, chatId, clientMessageId);
  expect(turns).toHaveLength(1);
  expect(turns[0]).toMatchObject({ status: expected.status ?? 'completed', answers: [expected.content], usageRows: 1 });
}

/** Cuts what came over one socket into turns; the last one may lack its end. */
export function shownTurns({ frames }: Pick<SocketClient, 'frames'>): ShownTurn[] {
  const shown: ShownTurn[] = [];
  let text = '';
  for (const frame of frames) {
    if (frame.type === 'chunk') text += String(frame['content']);
    if (frame.type !== 'stream_end' && frame.type !== 'error') continue;
    shown.push({ text, end: frame });
    text = '';
  }
  return text === '' ? shown : [...shown, { text, end: undefined }];
}

/** Returns a text of words that no other text of the tests has. */
export function uniqueText(words = 12): string {
  const mark = randomUUID().slice(0, 8);
  return Array.from({ length: words }, (_, index) => `${mark}-${index + 1}`).join(' ');
}

/** Returns the first words of a text. */
export function firstWords(text: string, count: number): string {
  return text.split(' ').slice(0, count).join(' ');
}

/** Prints how long something took until now. */
export function reportRecovery(fault: string, backAt: number, faultAt?: number): void {
  const down = faultAt === undefined ? '' : ` (up again after ${seconds(backAt - faultAt)})`;
  process.stdout.write(`recovery after ${fault}: ${seconds(performance.now() - backAt)}${down}\n`);
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** A turn whose model has said its first words and now waits. */
export interface BlockedTurn {
  readonly conversation: Conversation;
  readonly socket: SocketClient;
  /** The text of the message. */
  readonly content: string;
  /** Lets the model go on with the answer that it was asked for first. */
  letGo(): void;
  /** Lets the second one go too, if it waits. */
  letSecondGo(): void;
}

interface BlockOptions {
  /** The model's first reply, and those to all further requests. */
  readonly answers: readonly [string, string];
  /** Whether it waits after the first words of the second answer too. */
  readonly blocksSecond?: boolean;
}

/** Words that the model has said while a turn is held. */
export const SHOWN_WORDS = 5;

/** Sends a message in a new chat and stops the model after its first words, when a socket has been shown them. */
export async function blockTurn(
  stack: TestStack,
  clientMessageId: string,
  options: BlockOptions,
): Promise<BlockedTurn> {
  const conversation = await startConversation(stack);
  return blockNextTurn(conversation, await openSocket(conversation), clientMessageId, options);
}

/** Returns the same in a chat and over a socket that are there already. */
export async function blockNextTurn(
  conversation: Conversation,
  socket: SocketClient,
  clientMessageId: string,
  { answers: [first, second], blocksSecond = false }: BlockOptions,
): Promise<BlockedTurn> {
  const { model } = conversation.stack;
  const content = randomUUID();
  const [gate, secondGate] = [`${content} 1`, `${content} 2`];
  let requests = 0;
  model.script((request) => {
    if (newestMessage(request) !== content) return undefined;
    requests += 1;
    if (requests === 1) return say(first, { hold: { after: SHOWN_WORDS, gate } });
    return say(second, blocksSecond && requests === 2 ? { hold: { after: SHOWN_WORDS, gate: secondGate } } : {});
  });
  const shownBefore = socket.text;
  socket.send({ type: 'message', content, client_message_id: clientMessageId });
  const shown = shownBefore + firstWords(first, SHOWN_WORDS);
  await waitUntil('the first words', () => (socket.text === shown ? true : undefined));
  const letGo = () => model.release(gate);
  return { conversation, socket, content, letGo, letSecondGo: () => model.release(secondGate) };
}

/** Returns the newest message of a request to the model. */
export function newestMessage({ messages }: JournalEntry): string {
  const content = messages.at(-1)?.content;
  return typeof content === 'string' ? content : '';
}
