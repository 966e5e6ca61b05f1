import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { createAgent } from '../support/factories.ts';
import type { ServerFrame, SocketClient } from '../support/socket-client.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

let instance: TestInstance;
let chat: OpenChat;
beforeAll(async () => {
  instance = await startTestInstance();
});
afterAll(async () => instance.close());
afterEach(() => chat.close());

const joined = async (socket: SocketClient) => socket.waitFor('joined', ({ type }) => type === 'joined');

/** Puts the chunks together by their offsets, as a client does. */
function textOf(frames: readonly ServerFrame[], turnId: unknown): string {
  const chunks = frames.filter(({ type, turn_id: id }) => type === 'chunk' && id === turnId);
  return chunks.reduce((text, { offset, content }) => {
    expect(offset).toBe(text.length);
    return text + String(content);
  }, '');
}

describe('a client with the subprotocol everturn.v1', () => {
  test('is told which turn each frame is about, that its message is stored, and where a chunk belongs', async () => {
    chat = await OpenChat.create(instance);
    const socket = await chat.connectVersioned();
    expect(await joined(socket)).toEqual({ type: 'joined', turn_id: null, newest_message_id: null, steps: [] });
    socket.send({ type: 'message', content: '[[say one two]]', client_message_id: 'mine' });
    const end = await socket.waitForEnd();
    const [question, answer] = await chat.messages();
    const turnId = answer?.metadata_['turn_id'];
    expect(socket.frames.find(({ type }) => type === 'accepted')).toEqual({
      type: 'accepted',
      client_message_id: 'mine',
      message_id: question?.id,
      turn_id: turnId,
    });
    expect(textOf(socket.frames, turnId)).toBe('one two');
    expect(end).toMatchObject({
      turn_id: turnId,
      message_id: answer?.id,
      provider_used: answer?.provider_used,
      agent_name: expect.any(String),
    });
    expect(await joined(await chat.connectVersioned())).toMatchObject({ turn_id: null, newest_message_id: answer?.id });
  });

  test('is told the text and the steps so far when it joins later, those of sub-agents included', async () => {
    chat = await OpenChat.create(instance, { agent: { name: 'Lead', tools: ['agent_spawn', 'time_now'] } });
    await createAgent(chat.user.client, { name: 'Scout', tools: ['time_now'] });
    const gate = randomUUID();
    const task = '[[tool time_now {}]] [[then]] [[say found]]';
    const spawn = `[[tool agent_spawn ${JSON.stringify({ agent: 'Scout', task })}]]`;
    const stream = await chat.post({
      content: `[[say I look.]] ${spawn} [[then]] [[slow 9 chunks every 1ms]] [[hold ${gate} after 3 chunks]]`,
    });
    await waitUntil('the beginning of the answer', () => (stream.text.endsWith('w3') ? true : undefined));
    const socket = await chat.connectVersioned();
    const { turn_id: turnId, steps } = (await joined(socket)) as unknown as { turn_id: string; steps: ServerFrame[] };
    expect(textOf(socket.frames, turnId)).toBe(stream.text);
    const [begin, callBegin, callEnd, end] = steps;
    expect(steps.map(({ type }) => type)).toEqual([
      'sub_agent_start',
      'sub_agent_step_start',
      'sub_agent_step_done',
      'sub_agent_done',
    ]);
    expect(begin).toMatchObject({ turn_id: turnId, parent_id: turnId, step_id: expect.any(String), text_offset: 7 });
    // Those of a sub-agent stand in a text of its own.
    expect(callBegin).not.toHaveProperty('text_offset');
    expect(callBegin).toMatchObject({ turn_id: turnId, task_id: begin?.['task_id'], step_name: 'time_now' });
    expect(callEnd).toMatchObject({ turn_id: turnId, step_id: callBegin?.['step_id'], status: 'success' });
    expect(end).toMatchObject({ turn_id: turnId, task_id: begin?.['task_id'], output: 'found', status: 'completed' });
    instance.model.release(gate);
    await socket.waitForEnd();
    expect(textOf(socket.frames, turnId)).toBe((await chat.answers())[0]?.content);
  });

  test('can tell a failed turn from a rejected frame, and which of its frames was rejected', async () => {
    chat = await OpenChat.create(instance);
    const socket = await chat.connectVersioned();
    socket.send({ type: 'message', content: 'x', client_message_id: 'mine', file_ids: [randomUUID()] });
    expect(await socket.waitForEnd(1)).toEqual({
      type: 'error',
      message: 'File not found',
      turn_id: null,
      request: 'message',
      client_message_id: 'mine',
    });
    socket.send('no JSON');
    expect(await socket.waitForEnd(2)).toMatchObject({ turn_id: null, request: null, client_message_id: null });
    socket.send({ type: 'message', content: '[[status 400]]', client_message_id: 'other' });
    const failed = await socket.waitForEnd(3);
    expect(failed).toMatchObject({ type: 'error', request: null, client_message_id: null });
    const [answer] = await chat.answers();
    expect([failed['turn_id'], failed['message']]).toEqual([answer?.metadata_['turn_id'], answer?.metadata_['error']]);
  });
});

describe('a token among the subprotocols', () => {
  const open = (protocols: string[], origin?: string) =>
    new WebSocket(
      `${instance.api.url.replace('http', 'ws')}/ws/chat/${chat.id}`,
      protocols,
      origin === undefined ? {} : { origin },
    );

  test('opens a socket of the subprotocol, and is not answered', async () => {
    chat = await OpenChat.create(instance);
    const socket = open([`bearer.${chat.user.accessToken}`, 'everturn.v1']);
    await once(socket, 'open');
    expect(socket.protocol).toBe('everturn.v1');
    socket.terminate();
  });

  test('that is wrong is told by the close of a page, which has the subprotocol', async () => {
    chat = await OpenChat.create(instance);
    const socket = open(['everturn.v1', 'bearer.wrong'], 'https://console.example');
    const [code] = (await once(socket, 'close')) as [number];
    expect([code, socket.protocol]).toEqual([4401, 'everturn.v1']);
  });

  test('does not count without the subprotocol, nor beside another token', async () => {
    chat = await OpenChat.create(instance);
    const token = `bearer.${chat.user.accessToken}`;
    for (const protocols of [[token], ['chat', token], ['everturn.v1', token, 'bearer.other']]) {
      const socket = open(protocols);
      const [error] = (await once(socket, 'error')) as [Error];
      expect(error.message).toBe('Unexpected server response: 401');
    }
  });
});
