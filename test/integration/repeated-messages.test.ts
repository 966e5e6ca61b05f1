import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { TestApi } from '../support/test-api.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { OpenChat } from './open-chat.ts';

let instance: TestInstance;
let otherApi: TestApi;
let chat: OpenChat;
beforeAll(async () => {
  instance = await startTestInstance();
  otherApi = await instance.addApi();
});
afterAll(async () => instance.close());
afterEach(() => chat.close());

describe('a message with a client_message_id', () => {
  test('is stored and answered once, when it comes twenty times at once through every interface', async () => {
    chat = await OpenChat.create(instance);
    const apis = [instance.api.url, otherApi.url];
    const sockets = await Promise.all([...apis, ...apis].map((apiUrl) => chat.connect(apiUrl)));
    const frame = { type: 'message', content: '[[say once]]', client_message_id: 'same' };
    for (let n = 0; n < 4; n += 1) for (const socket of sockets) socket.send(frame);
    const streams = await Promise.all(
      [...apis, ...apis].map((apiUrl) => chat.post({ content: frame.content, client_message_id: 'same' }, { apiUrl })),
    );
    await Promise.all([...sockets, ...streams].map((viewer) => viewer.waitForEnd()));
    // A later turn ends only after anything the first message has set going.
    sockets[0]?.send({ type: 'message', content: '[[say later]]', client_message_id: 'later' });
    await Promise.all(sockets.map((socket) => socket.waitForEnd(2)));
    expect((await chat.messages()).map(({ role, content }) => [role, content])).toEqual([
      ['user', '[[say once]]'],
      ['assistant', 'once'],
      ['user', '[[say later]]'],
      ['assistant', 'later'],
    ]);
    expect(sockets.map(({ endings }) => endings.map((end) => end['content']))).toEqual(
      sockets.map(() => ['once', 'later']),
    );
    expect(streams.map(({ text }) => text)).toEqual(streams.map(() => 'once'));
    expect(new Set(streams.map(({ events }) => events[0]?.data['turn_id'])).size).toBe(1);
    const asked = instance.model.requests.filter(({ messages }) => messages.at(-1)?.content === frame.content);
    expect(asked).toHaveLength(1);
  });

  test('keeps what it said first, when it comes again with other content', async () => {
    chat = await OpenChat.create(instance);
    const first = await chat.post({ content: '[[say first]]', client_message_id: 'a' });
    await first.waitForEnd();
    const socket = await chat.connect();
    socket.send({ type: 'message', content: '[[say second]]', client_message_id: 'a' });
    const again = await chat.post({ content: '[[say second]]', client_message_id: 'a' });
    await again.waitForEnd();
    expect(again.text).toBe('first');
    expect((await chat.messages()).map(({ content }) => content)).toEqual(['[[say first]]', 'first']);
    socket.send({ type: 'message', content: '[[say third]]', client_message_id: 'b' });
    expect((await socket.waitForEnd())['content']).toBe('third');
  });

  test('is another message, when it comes in another chat', async () => {
    chat = await OpenChat.create(instance);
    const second = await chat.another();
    const streams = await Promise.all([
      chat.post({ content: '[[say here]]', client_message_id: 'a' }),
      second.post({ content: '[[say there]]', client_message_id: 'a' }),
    ]);
    await Promise.all(streams.map((stream) => stream.waitForEnd()));
    expect(streams.map(({ text }) => text)).toEqual(['here', 'there']);
  });

  test('is shown its stored answer again, when it comes again after the end', async () => {
    chat = await OpenChat.create(instance);
    const body = { content: '[[say one two three]]', client_message_id: 'a' };
    const first = await chat.post(body);
    await first.waitForEnd();
    const again = await chat.post(body, { apiUrl: otherApi.url });
    await again.waitForEnd();
    expect(again.events.map(({ event }) => event)).toEqual(['stream_start', 'chunk', 'stream_end']);
    expect(again.text).toBe('one two three');
    expect([again.events[0]?.data, again.events.at(-1)?.data]).toEqual([
      first.events[0]?.data,
      first.events.at(-1)?.data,
    ]);
  });

  test('is shown its stored failure again, when it comes again after it failed', async () => {
    chat = await OpenChat.create(instance);
    const body = { content: '[[status 500]]', client_message_id: 'a' };
    const first = await (await chat.post(body)).waitForEnd();
    const again = await (await chat.post(body)).waitForEnd();
    expect([again.event, again.data]).toEqual(['error', first.data]);
    expect(await chat.answers()).toHaveLength(1);
  });

  test('makes a turn each time, when it has no id', async () => {
    chat = await OpenChat.create(instance);
    for (const content of ['[[say same]]', '[[say same]]']) await (await chat.post({ content })).waitForEnd();
    expect(await chat.answers()).toHaveLength(2);
  });
});
