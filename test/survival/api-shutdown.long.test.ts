import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { startApiProcess } from '../support/api-process.ts';
import { createChat, registerUser } from '../support/factories.ts';
import { SocketClient } from '../support/socket-client.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { Valve } from '../support/valve.ts';

const SOCKETS = 40;
/** When the api is asked to end: when so many of the sockets have been let in. */
const MOMENTS = [0, 1, 5, 10, 20, 30, 39, SOCKETS];

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
  test.each(MOMENTS)('ends though 40 sockets are being let in, %d of which are open', async (count) => {
    const { api, socketUrl } = await startChat();
    const sockets = Array.from({ length: SOCKETS }, () => new WebSocket(socketUrl));
    let left = count;
    const areOpen = new Promise<void>((resolve) => {
      if (count === 0) resolve();
      for (const socket of sockets) socket.once('open', () => (left -= 1) === 0 && resolve());
    });
    const closed = sockets.map(async (socket) => {
      socket.on('error', () => undefined);
      return new Promise((resolve) => socket.once('close', resolve));
    });
    await areOpen;
    expect(await api.stop()).toBe(0);
    await Promise.all(closed);
  });

  test('gives up, and logs why, when the database is suspended', async () => {
    const valve = await Valve.open(database.url);
    const { api, chatId, accessToken } = await startChat(valve.url);
    const socket = await SocketClient.connect(api.url, chatId, accessToken);
    valve.shut();
    socket.send({ type: 'message', content: 'This waits for the database.' });
    expect(await api.stop()).toBe(1);
    expect(api.log()).toContain('api has not stopped within 10 s: giving up');
    valve.close();
  });
});
