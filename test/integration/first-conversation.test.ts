import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createChat, createProvider, registerUser } from '../support/factories.ts';
import { SocketClient } from '../support/socket-client.ts';
import { SseClient } from '../support/sse-client.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';

let instance: TestInstance;
beforeAll(async () => {
  instance = await startTestInstance();
});
afterAll(async () => instance.close());

describe('a first conversation', () => {
  test('streams the answer and stores it, when a message is sent over the socket', async () => {
    const { client, accessToken } = await registerUser(instance.api.url);
    await createProvider(client, instance.model.url);
    const chatId = await createChat(client);
    const socket = await SocketClient.connect(instance.api.url, chatId, accessToken);
    socket.send({ type: 'message', content: '[[echo 3]] hello', client_message_id: 'a' });
    const end = await socket.waitForEnd();
    expect(end.type).toBe('stream_end');
    expect(socket.text).toBe(end['content']);
    const { json } = await client.get<{ role: string; content: string }[]>(`/api/chats/${chatId}/messages`);
    expect(json.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(json[1]?.content).toBe(end['content']);
    socket.close();
  });

  test('is answered by the demo model over server-sent events, when no provider account exists', async () => {
    const { client, accessToken } = await registerUser(instance.api.url);
    const chatId = await createChat(client);
    const url = `${instance.api.url}/api/chats/${chatId}/stream`;
    const stream = await SseClient.open({ url, token: accessToken, body: { content: 'hello' } });
    const end = await stream.waitForEnd();
    expect(stream.events[0]?.event).toBe('stream_start');
    expect((end.data['message'] as { content: string }).content).toBe(stream.text);
    expect(stream.text).toContain('demo model');
  });
});
