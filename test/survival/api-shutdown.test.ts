import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { startApiProcess } from '../support/api-process.ts';
import { createChat, registerUser } from '../support/factories.ts';
import { SocketClient } from '../support/socket-client.ts';
import { SseClient } from '../support/sse-client.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { Valve } from '../support/valve.ts';

/** When the api is asked to end, in milliseconds after all sockets began to connect. */
const MOMENTS_MS = [0, 6, 12, 18, 25, 32, 40, 50];
const SOCKETS = 40;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => database.drop());

async function startChat(databaseUrl = database.url) {
  const api = await startApiProcess(databaseUrl);
  const { client, accessToken } = await registerUser(api.url);
  const chatId = await createChat(client);
  return {
    api,
    chatId,
    accessToken,
    socketUrl: `${api.url.replace('http', 'ws')}/ws/chat/${chatId}?token=${accessToken}`,
  };
}

describe('an api that is asked to end', () => {
  test.each(MOMENTS_MS)(
    'ends though 40 sockets are being let in, %d ms after they began to connect',
    async (moment) => {
      const { api, socketUrl } = await startChat();
      const sockets = Array.from({ length: SOCKETS }, () => new WebSocket(socketUrl));
      const closed = sockets.map(async (socket) => {
        socket.on('error', () => undefined);
        return new Promise((resolve) => socket.once('close', resolve));
      });
      await sleep(moment);
      const askedAt = performance.now();
      expect(await api.stop()).toBe(0);
      expect(performance.now() - askedAt).toBeLessThan(5_000);
      await Promise.all(closed);
    },
    40_000,
  );

  test('tells the sockets that it restarts', async () => {
    const { api, chatId, accessToken } = await startChat();
    const socket = await SocketClient.connect(api.url, chatId, accessToken);
    expect(await api.stop()).toBe(0);
    expect(socket.closeCode).toBe(1012);
  }, 40_000);

  test('ends the streams, whose readers come back', async () => {
    const { api, chatId, accessToken: token } = await startChat();
    const url = `${api.url}/api/chats/${chatId}/stream`;
    const reader = await SseClient.open({ url, token, body: { content: 'Nobody answers while Temporal is away.' } });
    await reader.waitFor('the message to be stored', ({ event }) => event === 'stream_start');
    expect(await api.stop()).toBe(0);
    expect(reader.isDone).toBe(true);
  }, 40_000);

  test('gives up after 10 seconds, and tells its log why, when the database stands still', async () => {
    const valve = await Valve.open(database.url);
    const { api, chatId, accessToken } = await startChat(valve.url);
    const socket = await SocketClient.connect(api.url, chatId, accessToken);
    valve.shut();
    socket.send({ type: 'message', content: 'This waits for the database.' });
    const askedAt = performance.now();
    expect(await api.stop()).toBe(1);
    const elapsed = performance.now() - askedAt;
    expect([elapsed > 9_500, elapsed < 12_000]).toEqual([true, true]);
    expect(api.log()).toContain('api has not stopped within 10 s: giving up');
    valve.close();
  }, 60_000);
});
