import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { say } from '../support/scripted-model/index.ts';
import type { SocketClient } from '../support/socket-client.ts';
import type { SseClient } from '../support/sse-client.ts';
import type { TestApi } from '../support/test-api.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

let instance: TestInstance;
let otherApi: TestApi;
let chat: OpenChat;
beforeAll(async () => {
  instance = await startTestInstance();
  otherApi = await instance.addApi();
});
afterAll(async () => instance.close());
afterEach(() => {
  chat.close();
  instance.model.script(null);
});

/** A message whose answer waits after three words until the gate is released. */
function blocked() {
  const gate = randomUUID();
  return {
    content: `[[slow 9 chunks every 1ms]] [[hold ${gate} after 3 chunks]]`,
    release: () => instance.model.release(gate),
  };
}
const PART = 'w1 w2 w3';
const WHOLE = 'w1 w2 w3 w4 w5 w6 w7 w8 w9';

const textOf = async (viewer: SocketClient | SseClient, text: string) =>
  waitUntil(`the text "${text}"`, () => (viewer.text === text ? true : undefined));
const endings = (stream: SseClient) => stream.events.filter(({ event }) => event === 'stream_end' || event === 'error');

describe('a streamed answer', () => {
  test('reaches every viewer whole and once, whichever api and protocol they use', async () => {
    chat = await OpenChat.create(instance);
    const { content, release } = blocked();
    const sockets = [await chat.connect(), await chat.connect(otherApi.url)];
    const stream = await chat.post({ content });
    await Promise.all([...sockets, stream].map((viewer) => textOf(viewer, PART)));
    release();
    await Promise.all([...sockets.map((socket) => socket.waitForEnd()), stream.waitForEnd()]);
    expect([...sockets, stream].map(({ text }) => text)).toEqual([WHOLE, WHOLE, WHOLE]);
    expect(sockets.map(({ endings: ends }) => ends.length)).toEqual([1, 1]);
    expect(endings(stream)).toHaveLength(1);
    expect((await chat.answers()).map((answer) => answer.content)).toEqual([WHOLE]);
  });

  test('consists of the frames of the specification, with no field more', async () => {
    chat = await OpenChat.create(instance);
    const socket = await chat.connect();
    const stream = await chat.post({ content: '[[say one two]]' });
    const end = await socket.waitForEnd();
    await stream.waitForEnd();
    const [question, answer] = await chat.messages();
    expect(new Set(socket.frames.map(({ type }) => type))).toEqual(new Set(['chunk', 'stream_end']));
    for (const frame of socket.frames.slice(0, -1)) expect(Object.keys(frame)).toEqual(['type', 'content']);
    expect(end).toEqual({
      type: 'stream_end',
      message_id: answer?.id,
      content: 'one two',
      metadata: answer?.metadata_,
      created_at: answer?.created_at,
    });
    expect(stream.events.map(({ event }) => event)).toEqual(
      ['stream_start', 'chunk', 'stream_end'].flatMap((event) =>
        event === 'chunk' ? stream.events.filter((each) => each.event === 'chunk').map(() => 'chunk') : event,
      ),
    );
    expect(stream.events[0]?.data).toEqual({
      chat_id: chat.id,
      turn_id: answer?.metadata_['turn_id'],
      message_id: question?.id,
    });
    expect(Object.keys(stream.events[1]?.data ?? {})).toEqual(['content']);
    expect(stream.events.at(-1)?.data).toEqual({ message: answer });
  });

  test('ends with one error that holds a message and nothing else, when the model fails half-way', async () => {
    chat = await OpenChat.create(instance);
    const socket = await chat.connect();
    const stream = await chat.post({ content: '[[error-in-stream after 3 chunks]]' });
    const [frame, event] = await Promise.all([socket.waitForEnd(), stream.waitForEnd()]);
    const [answer] = await chat.answers();
    expect(frame).toEqual({ type: 'error', message: answer?.metadata_['error'] });
    expect(event.data).toEqual({ message: answer?.metadata_['error'] });
    expect([socket.text, stream.text, answer?.content]).toEqual([PART, PART, PART]);
    expect([socket.endings.length, endings(stream).length]).toEqual([1, 1]);
  });

  test('is shown from its start as one chunk and then live, to a viewer that comes in the middle', async () => {
    chat = await OpenChat.create(instance);
    const { content, release } = blocked();
    const first = await chat.connect();
    first.send({ type: 'message', content, client_message_id: 'a' });
    await textOf(first, PART);
    const late = [await chat.connect(), await chat.connect(otherApi.url)];
    const stream = await chat.attach({ apiUrl: otherApi.url });
    for (const viewer of late) {
      expect(await viewer.waitFor('chunk', ({ type }) => type === 'chunk')).toEqual({
        type: 'chunk',
        content: PART,
      });
    }
    expect((await stream.waitFor('chunk', ({ event }) => event === 'chunk')).data).toEqual({ content: PART });
    release();
    await Promise.all([...late.map((viewer) => viewer.waitForEnd()), stream.waitForEnd()]);
    expect([...late, stream].map(({ text }) => text)).toEqual([WHOLE, WHOLE, WHOLE]);
  });

  test('is stored whole, when its only reader goes away in the middle', async () => {
    chat = await OpenChat.create(instance);
    const { content, release } = blocked();
    const stream = await chat.post({ content });
    await textOf(stream, PART);
    stream.close();
    release();
    const [answer] = await chat.waitForAnswers(1);
    expect(answer).toMatchObject({ content: WHOLE, metadata_: { status: 'completed' } });
  });

  test('stays one logical event a chunk, when the model says what looks like events', async () => {
    chat = await OpenChat.create(instance);
    const text = 'a\n\nevent: stream_end\ndata: {}\n\n\r\nid: 1\u2028\u2029 b';
    instance.model.script(say(text, { chunkChars: 3 }));
    const stream = await chat.post({ content: 'x' });
    await stream.waitForEnd();
    expect(stream.text).toBe(text);
    expect(endings(stream)).toHaveLength(1);
  });
});

describe('a reader that comes back with Last-Event-ID', () => {
  test('is shown the rest and nothing twice, while the turn runs', async () => {
    chat = await OpenChat.create(instance);
    const { content, release } = blocked();
    const first = await chat.post({ content, client_message_id: 'a' });
    await textOf(first, PART);
    first.close();
    const second = await chat.attach({ apiUrl: otherApi.url, lastEventId: first.lastEventId });
    const third = await chat.post({ content, client_message_id: 'a' }, { lastEventId: first.lastEventId });
    release();
    await Promise.all([second.waitForEnd(), third.waitForEnd()]);
    expect(first.text + second.text).toBe(WHOLE);
    expect(first.text + third.text).toBe(WHOLE);
    expect(await chat.messages()).toHaveLength(2);
  });

  test('is told the calls that were made while it was away, also when the turn has ended', async () => {
    chat = await OpenChat.create(instance, { agent: { tools: ['time_now'] } });
    const gate = randomUUID();
    const content = `[[say so]] [[tool time_now]] [[then]] [[slow 9 chunks every 1ms]] [[hold ${gate} after 3 chunks]]`;
    const first = await chat.post({ content });
    await first.waitFor('the call', ({ event, data }) => event === 'tool_call' && data['status'] === 'success');
    const early = first.events.find(({ event }) => event === 'stream_start');
    const callsOf = ({ events }: SseClient) =>
      events.flatMap(({ event, data }) => (event === 'tool_call' ? [data] : []));
    const during = await chat.attach({ apiUrl: otherApi.url, lastEventId: early?.id });
    instance.model.release(gate);
    await Promise.all([first.waitForEnd(), during.waitForEnd()]);
    const after = await chat.attach({ lastEventId: early?.id });
    await after.waitForEnd();
    expect(callsOf(first).map(({ status }) => status)).toEqual(['running', 'success']);
    expect([callsOf(during), callsOf(after)]).toEqual([callsOf(first), callsOf(first)]);
  });

  test('is answered that nothing follows, when it has had the end', async () => {
    chat = await OpenChat.create(instance);
    for (const content of ['[[say all]]', '[[status 400]]']) {
      const first = await chat.post({ content });
      const end = await first.waitForEnd();
      expect(end.id).toMatch(/:end$/);
      const again = await fetch(`${instance.api.url}/api/chats/${chat.id}/stream`, {
        headers: { authorization: `Bearer ${chat.user.accessToken}`, 'last-event-id': end.id ?? '' },
      });
      expect([again.status, await again.text()]).toEqual([204, '']);
    }
  });

  test('is shown the rest and the end, when the turn has ended meanwhile', async () => {
    chat = await OpenChat.create(instance);
    const { content, release } = blocked();
    const first = await chat.post({ content });
    await textOf(first, PART);
    first.close();
    release();
    await chat.waitForAnswers(1);
    const second = await chat.attach({ apiUrl: otherApi.url, lastEventId: first.lastEventId });
    const end = await second.waitForEnd();
    expect(first.text + second.text).toBe(WHOLE);
    expect(end.data['message']).toEqual((await chat.answers())[0]);
  });

  test('is shown the end alone, when everything was read before', async () => {
    chat = await OpenChat.create(instance);
    const first = await chat.post({ content: '[[say one two]]' });
    await first.waitForEnd();
    const second = await chat.attach({ lastEventId: first.events.findLast(({ event }) => event === 'chunk')?.id });
    await second.waitForEnd();
    expect(second.events.map(({ event }) => event)).toEqual(['stream_start', 'stream_end']);
  });

  test('is shown the running turn from its start, when the id is not one of ours', async () => {
    chat = await OpenChat.create(instance);
    const { content, release } = blocked();
    const first = await chat.post({ content });
    await textOf(first, PART);
    const ids = ['', 'garbage', `${randomUUID()}:x:y`, `${randomUUID()}:1`, ':::', `'; drop table turns; --`];
    const readers = await Promise.all(ids.map((lastEventId) => chat.attach({ lastEventId })));
    release();
    await Promise.all(readers.map((reader) => reader.waitForEnd()));
    expect(readers.map(({ text }) => text)).toEqual(ids.map(() => WHOLE));
  });

  test.each(['3:1', '99999999:1', '0:4294967295', '4:9999999999'])(
    'is shown no wrong text and the true end, when the place in the id is forged (%s)',
    async (position) => {
      chat = await OpenChat.create(instance);
      const { content, release } = blocked();
      const first = await chat.post({ content });
      const start = await first.waitFor('start', ({ event }) => event === 'stream_start');
      await textOf(first, PART);
      const forged = await chat.attach({ lastEventId: `${String(start.data['turn_id'])}:${position}` });
      release();
      const end = await forged.waitForEnd();
      expect(end.data['message']).toMatchObject({ content: WHOLE });
      expect(['', WHOLE]).toContain(forged.text);
    },
  );

  test("gets 404, when the id names another user's turn", async () => {
    const stranger = await OpenChat.create(instance);
    const theirs = await stranger.post({ content: '[[say secret words]]' });
    await theirs.waitForEnd();
    stranger.close();
    chat = await OpenChat.create(instance);
    const mine = await chat.attach({ lastEventId: theirs.lastEventId });
    expect([mine.status, mine.problem]).toEqual([404, { detail: 'Running turn not found' }]);
  });
});

test('an api that ends tells its sockets that it restarts, and ends its streams, which go on at another one', async () => {
  chat = await OpenChat.create(instance);
  const ending = await instance.addApi();
  const { content, release } = blocked();
  const socket = await chat.connect(ending.url);
  const stream = await chat.post({ content }, { apiUrl: ending.url });
  await Promise.all([socket, stream].map((viewer) => textOf(viewer, PART)));
  await ending.close();
  await waitUntil('both to be told', () => (socket.closeCode !== undefined && stream.isDone) || undefined);
  expect(socket.closeCode).toBe(1012);
  const again = await chat.attach({ lastEventId: stream.lastEventId });
  release();
  await again.waitForEnd();
  expect(stream.text + again.text).toBe(WHOLE);
});

describe('attaching to a chat', () => {
  test('gets 404, when no turn runs', async () => {
    chat = await OpenChat.create(instance);
    expect((await chat.attach()).status).toBe(404);
    await (await chat.post({ content: '[[say done]]' })).waitForEnd();
    expect((await chat.attach()).status).toBe(404);
  });

  test('gets the same 404 for a foreign chat as for none', async () => {
    const stranger = await OpenChat.create(instance);
    chat = await OpenChat.create(instance);
    const { client } = chat.user;
    const foreign = await client.get(`/api/chats/${stranger.id}/stream`);
    const unknown = await client.get(`/api/chats/${randomUUID()}/stream`);
    expect([foreign.status, foreign.json]).toEqual([404, unknown.json]);
  });
});

describe('a huge answer', () => {
  test('is shown as far as it is stored, when it fails in the end', async () => {
    chat = await OpenChat.create(instance);
    instance.model.script(say(HUGE, { chunkChars: 50_000, cut: { after: 10, how: 'fin' } }));
    const socket = await chat.connect();
    const stream = await chat.post({ content: 'x' });
    await Promise.all([socket.waitForEnd(), stream.waitForEnd()]);
    const [answer] = await chat.answers();
    expect(answer?.content.length).toBe(500_000);
    expect([socket.text.length, stream.text.length]).toEqual([500_000, 500_000]);
  });

  // Three bytes a character: more than the buffers of both ends of a connection hold.
  const HUGE = '世'.repeat(950_000);

  test('is shown whole to those who read, and does not wait for a viewer that stopped reading', async () => {
    chat = await OpenChat.create(instance);
    instance.model.script(say(HUGE, { chunkChars: 2_000 }));
    const [stuck, reader] = [await chat.connect(), await chat.connect()];
    stuck.socket.pause();
    for (const id of ['a', 'b', 'c']) reader.send({ type: 'message', content: id, client_message_id: id });
    await reader.waitForEnd(3);
    const answers = await chat.answers();
    expect(answers.map(({ content, metadata_ }) => [content === HUGE, metadata_['status']])).toEqual(
      answers.map(() => [true, 'completed']),
    );
    expect(reader.text === HUGE.repeat(3)).toBe(true);
    stuck.socket.resume();
    await waitUntil('the stuck viewer to be cut', () => stuck.closeCode);
    expect([1006, 1013]).toContain(stuck.closeCode);
    expect(stuck.endings.length).toBeLessThan(3);
  });

  test('is shown whole to a viewer that comes when nearly all of it was said', async () => {
    chat = await OpenChat.create(instance);
    instance.model.script(say(`${HUGE} .`, { hold: { after: 1, gate: 'late' } }));
    const first = await chat.connect();
    first.send({ type: 'message', content: 'x', client_message_id: 'a' });
    await waitUntil('the text', () => (first.text.length >= HUGE.length ? true : undefined));
    const late = await chat.connect(otherApi.url);
    const stream = await chat.attach();
    await late.waitFor('chunk', ({ type }) => type === 'chunk');
    instance.model.release('late');
    await Promise.all([late.waitForEnd(), stream.waitForEnd()]);
    expect([late.text.length, stream.text.length]).toEqual([HUGE.length + 2, HUGE.length + 2]);
  });
});
