import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { EffectServer } from '../support/effect-server.ts';
import type { SocketClient } from '../support/socket-client.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

let effects: EffectServer;
let instance: TestInstance;
let chat: OpenChat;
beforeAll(async () => {
  effects = await EffectServer.start();
  instance = await startTestInstance();
});
afterAll(async () => {
  await instance.close();
  effects.close();
});
afterEach(() => {
  effects.release();
  chat.close();
});

interface Shown {
  readonly id: string;
  readonly agent_id: string;
}

/** Begins a turn whose first step says something and then calls a tool that is held. */
async function blockAfterFirstStep(path: string): Promise<SocketClient> {
  chat = await OpenChat.create(instance, { agent: { tools: ['http_request', 'time_now'] } });
  const socket = await chat.connect();
  const call = JSON.stringify({ url: `${effects.url}${path}` });
  socket.send({ type: 'message', content: `[[say one moment]] [[tool http_request ${call}]] [[then]] [[say done]]` });
  await effects.waitFor(path);
  return socket;
}

const agentId = async () => (await chat.user.client.get<Shown>(`/api/chats/${chat.id}`)).json.agent_id;

describe('a turn ends with a clear message at its next step, and keeps what was said', () => {
  test.each([
    ['its agent is deactivated', 'is not active', async () => patchAgent({ is_active: false })],
    [
      'its agent is deleted',
      'was deleted',
      async () => void (await chat.user.client.delete(`/api/agents/${await agentId()}`)),
    ],
  ])('when %s', async (what, words, change) => {
    const socket = await blockAfterFirstStep(`/hold/${what.replaceAll(' ', '-')}`);
    await change();
    effects.release();
    const end = await socket.waitForEnd();
    expect(end).toMatchObject({ type: 'error', message: expect.stringContaining(words) });
    expect(socket.text).toBe('one moment');
  });

  test('when its user leaves the organization', async () => {
    await blockAfterFirstStep('/hold/left');
    const { system } = instance.api.database;
    await system.query('delete from memberships where user_id = $1', [chat.user.id]);
    effects.release();
    // What the socket would be told is stored: the check of all connections, once a minute, may close that before.
    const answer = await waitUntil('the answer', async () => {
      const { rows } = await system.query<object>(
        "select content, metadata->>'error' as error from messages where chat_id = $1 and role = 'assistant'",
        [chat.id],
      );
      return rows[0];
    });
    expect(answer).toEqual({ content: 'one moment', error: expect.stringContaining('no longer a member') });
  });

  async function patchAgent(fields: object): Promise<void> {
    const { status } = await chat.user.client.patch(`/api/agents/${await agentId()}`, fields);
    expect(status).toBe(200);
  }
});

describe('a turn goes on', () => {
  test('without a tool that its agent has lost, and the model is told', async () => {
    const path = '/hold/lost-tool';
    chat = await OpenChat.create(instance, { agent: { tools: ['http_request', 'time_now'] } });
    const socket = await chat.connect();
    const call = JSON.stringify({ url: `${effects.url}${path}` });
    socket.send({
      type: 'message',
      content: `[[tool http_request ${call}]] [[then]] [[tool time_now {}]] [[then]] [[say end]]`,
    });
    await effects.waitFor(path);
    await chat.user.client.patch(`/api/agents/${await agentId()}`, { tools: ['http_request'] });
    effects.release();
    const end = await socket.waitForEnd();
    expect(end).toMatchObject({ type: 'stream_end', content: 'end' });
    const { tool_calls_detail: details } = end['metadata'] as {
      tool_calls_detail: { status: string; result: string }[];
    };
    expect(details.map(({ status }) => status)).toEqual(['success', 'error']);
    expect(details[1]?.result).toContain('no tool \\"time_now\\"');
  });

  test('with another account, when its own is purged between two steps', async () => {
    const socket = await blockAfterFirstStep('/hold/purged');
    const { json } = await chat.user.client.get<Shown[]>('/api/providers');
    await chat.user.client.delete(`/api/providers/${json[0]?.id ?? ''}/purge`);
    effects.release();
    // Without any account the demo model answers.
    expect(await socket.waitForEnd()).toMatchObject({ type: 'stream_end', metadata: { model: 'demo' } });
  });
});

test('a turn whose chat is deleted stops at once, and what it had begun is recorded', async () => {
  await blockAfterFirstStep('/hold/deleted');
  await chat.user.client.delete(`/api/chats/${chat.id}`);
  await chat.user.client.patch(`/api/chats/${chat.id}/restore`);
  const socket = await chat.connect();
  socket.send({ type: 'message', content: '[[say back]]' });
  await socket.waitFor('the next answer', ({ content }) => content === 'back');
  const [answer] = await chat.answers();
  expect(answer).toMatchObject({ content: 'one moment', metadata_: { status: 'interrupted', tool_call_count: 1 } });
});
