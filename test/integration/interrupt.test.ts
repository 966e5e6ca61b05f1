import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { SocketClient } from '../support/socket-client.ts';
import type { JournalEntry } from '../support/scripted-model/index.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

let instance: TestInstance;
let chat: OpenChat;
/** The request to the model of the turn that is to be interrupted. */
let asked: JournalEntry;
beforeAll(async () => {
  instance = await startTestInstance();
});
afterAll(async () => instance.close());
afterEach(() => chat.close());

const interruptOverSocket = async (socket: SocketClient) => socket.send({ type: 'interrupt' });
const interruptOverRest = async () => void (await interrupt());
async function interrupt(): Promise<unknown> {
  const { status, json } = await chat.user.client.post(`/api/chats/${chat.id}/interrupt`);
  expect(status).toBe(200);
  return (json as { turn_id: unknown }).turn_id;
}

async function start(content: string): Promise<SocketClient> {
  chat = await OpenChat.create(instance);
  const socket = await chat.connect();
  socket.send({ type: 'message', content, client_message_id: 'first' });
  // Earlier tests have sent the same.
  asked = await instance.model.waitForRequest(
    ({ messages, endedAt }) => messages.at(-1)?.content === content && endedAt === null,
  );
  return socket;
}

async function expectNextAnswered(socket: SocketClient, turn: number): Promise<void> {
  socket.send({ type: 'message', content: '[[say next]]', client_message_id: 'next' });
  expect((await socket.waitForEnd(turn))['content']).toBe('next');
}

/** Waits until the call of the model is cut, which would be given up after a minute by itself. */
async function expectCut(): Promise<void> {
  await instance.model.waitForRequest(({ id, aborted }) => id === asked.id && aborted, 45_000);
}

describe.each([
  ['over the socket', interruptOverSocket],
  ['over REST', interruptOverRest],
])('an interrupt %s', (how, ask) => {
  test.each([
    ['is silent', 'silent', ''],
    ['has sent headers only', 'stall', ''],
    ['is in the middle of its answer', 'hold never after 3 chunks', 'w1 w2 w3'],
  ])('stops the turn and keeps what was said, when the model %s', async (_when, directive, said) => {
    const content = `[[${directive}]] ${how}`;
    const socket = await start(content);
    await waitUntil('what it says', () => (socket.text === said ? true : undefined));
    await ask(socket);
    const end = await socket.waitForEnd();
    await expectCut();
    expect(end).toMatchObject({ type: 'stream_end', content: said, metadata: { status: 'interrupted' } });
    const [answer] = await chat.answers();
    expect(answer).toMatchObject({ id: end['message_id'], content: said, metadata_: { status: 'interrupted' } });
    expect(answer?.metadata_['error']).toBeUndefined();
    await expectNextAnswered(socket, 2);
  });
});

describe('an interrupt', () => {
  test('stops the running turn only, when others wait behind it', async () => {
    const content = '[[hold never after 2 chunks]] queue';
    const socket = await start(content);
    socket.send({ type: 'message', content: '[[say second]]', client_message_id: 'second' });
    await waitUntil('the second message', async () => ((await chat.messages()).length === 2 ? true : undefined));
    await waitUntil('two words', () => (socket.text === 'w1 w2' ? true : undefined));
    await interrupt();
    await socket.waitForEnd(2);
    expect(socket.endings.map((end) => [end['content'], (end['metadata'] as { status: string }).status])).toEqual([
      ['w1 w2', 'interrupted'],
      ['second', 'completed'],
    ]);
  });

  test('stops as many turns as are asked for one after the other, when several wait', async () => {
    const socket = await start('[[silent]] several');
    for (const id of ['a', 'b']) socket.send({ type: 'message', content: `[[silent]] ${id}`, client_message_id: id });
    await waitUntil('the messages', async () => ((await chat.messages()).length === 3 ? true : undefined));
    for (const turn of [1, 2, 3]) {
      await interrupt();
      await socket.waitForEnd(turn);
    }
    expect((await chat.answers()).map(({ metadata_ }) => metadata_['status'])).toEqual(Array(3).fill('interrupted'));
    await expectNextAnswered(socket, 4);
  });

  test('changes nothing more, when it comes again and again', async () => {
    const socket = await start('[[hold never after 1 chunk]] twice');
    await waitUntil('a word', () => (socket.text === 'w1' ? true : undefined));
    const turnIds = await Promise.all([interrupt(), interrupt(), interrupt(), interrupt()]);
    for (let n = 0; n < 5; n += 1) socket.send({ type: 'interrupt' });
    const end = await socket.waitForEnd();
    const known = turnIds.filter((turnId) => turnId !== null);
    expect(new Set(known)).toEqual(new Set([(end['metadata'] as { turn_id: string }).turn_id]));
    await expectNextAnswered(socket, 2);
    expect(socket.endings).toHaveLength(2);
  });

  test('answers null and disturbs no later turn, when no turn is open', async () => {
    chat = await OpenChat.create(instance);
    expect(await interrupt()).toBeNull();
    const socket = await chat.connect();
    socket.send({ type: 'interrupt' });
    await expectNextAnswered(socket, 1);
    expect(await interrupt()).toBeNull();
    socket.send({ type: 'message', content: '[[say after]]', client_message_id: 'after' });
    expect(await socket.waitForEnd(2)).toMatchObject({ content: 'after', metadata: { status: 'completed' } });
  });

  test('ends the answer for readers of server-sent events too', async () => {
    chat = await OpenChat.create(instance);
    const stream = await chat.post({ content: '[[hold never after 2 chunks]] sse' });
    await waitUntil('two words', () => (stream.text === 'w1 w2' ? true : undefined));
    await interrupt();
    const end = await stream.waitForEnd();
    expect(end).toMatchObject({
      event: 'stream_end',
      data: { message: { content: 'w1 w2', metadata_: { status: 'interrupted' } } },
    });
  });

  test('gets 404 and stops nothing, when the chat belongs to somebody else', async () => {
    const stranger = await OpenChat.create(instance);
    chat = await OpenChat.create(instance);
    const gate = `mine-${chat.id}`;
    const stream = await chat.post({ content: `[[hold ${gate} after 1 chunk]]` });
    await stream.waitFor('chunk', ({ event }) => event === 'chunk');
    const { status } = await stranger.user.client.post(`/api/chats/${chat.id}/interrupt`);
    expect(status).toBe(404);
    instance.model.release(gate);
    expect((await stream.waitForEnd()).data['message']).toMatchObject({ metadata_: { status: 'completed' } });
  });

  test('comes with the deletion of the chat', async () => {
    const content = '[[silent]] delete';
    await start(content);
    expect((await chat.user.client.delete(`/api/chats/${chat.id}`)).status).toBe(204);
    await expectCut();
  });
});
