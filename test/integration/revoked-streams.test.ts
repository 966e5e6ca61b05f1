import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { SseClient } from '../support/sse-client.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { moveAway, OpenChat } from './open-chat.ts';

let instance: TestInstance;
beforeAll(async () => {
  instance = await startTestInstance();
});
afterAll(async () => instance.close());
// A gate that was opened stays open, so each test has one of its own.
let gate = '';
beforeEach(() => {
  gate = `gate-${randomUUID()}`;
});

describe('a stream of server-sent events', () => {
  test('says that it is over, and its turn goes on, when the key it was opened with is revoked', async () => {
    const chat = await OpenChat.create(instance);
    const { client } = chat.user;
    const { json: key } = await client.post<{ id: string; key: string }>('/api/users/me/api-keys', { name: 'k' });
    const stream = await openStream(chat, key.key);
    expect((await client.delete(`/api/users/me/api-keys/${key.id}`)).status).toBe(204);
    await expectCutOff(stream);
    await expectAnswered(chat);
  });

  test('says that it is over, and its turn goes on, when its session is signed out', async () => {
    const chat = await OpenChat.create(instance);
    const { client, email, password } = chat.user;
    const { json: other } = await client
      .as(undefined)
      .post<{ access_token: string }>('/api/auth/login', { email, password });
    const stream = await openStream(chat, other.access_token);
    expect((await client.as(other.access_token).post('/api/auth/logout')).status).toBe(204);
    await expectCutOff(stream);
    await expectAnswered(chat);
  });

  test('is that of a chat in another organization than the active one, when its query names that', async () => {
    const chat = await OpenChat.create(instance);
    const orgId = await moveAway(chat);
    const url = `${instance.api.url}/api/chats/${chat.id}/stream`;
    const open = async (query: string) =>
      SseClient.open({ url: `${url}${query}`, token: chat.user.accessToken, body: { content: '[[say there]]' } });
    expect((await open('')).status).toBe(404);
    expect((await open(`?org_id=${randomUUID()}`)).problem).toEqual({ detail: 'Organization not found' });
    const stream = await open(`?org_id=${orgId}`);
    expect([(await stream.waitForEnd()).event, stream.text]).toEqual(['stream_end', 'there']);
  });

  test('goes on, when another key of its user is revoked', async () => {
    const chat = await OpenChat.create(instance);
    const { client, accessToken } = chat.user;
    const { json: key } = await client.post<{ id: string }>('/api/users/me/api-keys', { name: 'k' });
    const stream = await openStream(chat, accessToken);
    expect((await client.delete(`/api/users/me/api-keys/${key.id}`)).status).toBe(204);
    instance.model.release(gate);
    expect((await stream.waitForEnd()).event).toBe('stream_end');
  });
});

async function openStream(chat: OpenChat, token: string): Promise<SseClient> {
  const stream = await SseClient.open({
    url: `${instance.api.url}/api/chats/${chat.id}/stream`,
    token,
    body: { content: `[[hold ${gate} after 2 chunks]] w1 w2 w3 w4` },
  });
  await stream.waitFor('the first text', ({ event }) => event === 'chunk');
  return stream;
}

async function expectCutOff(stream: SseClient): Promise<void> {
  expect((await stream.waitForEnd()).data).toEqual({ message: 'Missing or invalid token' });
  expect(stream.events.map(({ event }) => event)).not.toContain('stream_end');
}

async function expectAnswered(chat: OpenChat): Promise<void> {
  instance.model.release(gate);
  const answer = await waitUntil('the answer', async () => (await chat.answers())[0]);
  expect(answer.metadata_['status']).toBe('completed');
}
