import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-database.ts';
import { waitUntil } from '../../test/support/wait-until.ts';
import { NotificationListener } from './notification-listener.ts';

let testDatabase: TestDatabase;
let observer: pg.Client;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  observer = new pg.Client({ connectionString: testDatabase.url });
  await observer.connect();
});
afterAll(async () => {
  await observer.end();
  await testDatabase.drop();
});

// Without workers of the server, such as those of autovacuum.
const OTHERS = `from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`;

async function countConnections(): Promise<number> {
  const { rows } = await observer.query<{ count: number }>(`select count(*)::int as count ${OTHERS}`);
  return rows[0]?.count ?? 0;
}

const dropConnections = async () => observer.query(`select pg_terminate_backend(pid) ${OTHERS}`);

async function start({ url = testDatabase.url, channel = 'news', onReconnect = () => undefined }) {
  return NotificationListener.start({ url, channels: [channel], onNotification: () => undefined, onReconnect });
}

test('a connection that was lost is replaced', async () => {
  const onReconnect = jest.fn(() => undefined);
  const listener = await start({ onReconnect });
  await dropConnections();
  await waitUntil('the new connection', () => onReconnect.mock.calls[0]);
  await waitUntil('the end of the lost one', async () => (await countConnections()) === 1 || undefined);
  await listener.close();
  await waitUntil('the end of the connection', async () => (await countConnections()) === 0 || undefined);
});

/** Returns the address of a gate before the database, which says when somebody connects, and how many still are. */
async function openGate(onConnect: () => void): Promise<{ url: string; openCount: () => number; shut: () => void }> {
  const url = new URL(testDatabase.url);
  const { port, hostname } = url;
  let openCount = 0;
  const gate = createServer((near) => {
    openCount += 1;
    near.once('close', () => (openCount -= 1));
    onConnect();
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) socket.on('error', () => undefined);
    near.pipe(far).pipe(near);
  });
  gate.listen(0, '127.0.0.1');
  await once(gate, 'listening');
  const address = gate.address();
  if (address === null || typeof address === 'string') throw new Error('the gate has no port');
  url.host = `127.0.0.1:${address.port}`;
  return { url: url.href, openCount: () => openCount, shut: () => gate.close() };
}

test('a connection that is made while the listener closes is ended', async () => {
  let made = 0;
  let closing: Promise<void> | undefined;
  const gate = await openGate(() => {
    made += 1;
    if (made === 2) closing = listener.close();
  });
  const listener = await start({ url: gate.url });
  await dropConnections();
  await waitUntil('the next connection', () => made === 2 || undefined);
  await closing;
  await waitUntil('the end of that connection', () => gate.openCount() === 0 || undefined);
  await waitUntil('its end in the database', async () => (await countConnections()) === 0 || undefined);
  gate.shut();
});

test('a connection that cannot listen is ended', async () => {
  await expect(start({ channel: '' })).rejects.toThrow('zero-length');
  await waitUntil('the end of the connection', async () => (await countConnections()) === 0 || undefined);
});

test('a listener that starts tries again when its first connections end', async () => {
  let made = 0;
  const refusing = createServer((socket) => {
    made += 1;
    if (made <= 2) socket.destroy();
    else socket.pipe(connect(Number(new URL(testDatabase.url).port), '127.0.0.1')).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(refusing, 'listening');
  const url = new URL(testDatabase.url);
  url.port = String((refusing.address() as AddressInfo).port);
  const listener = await start({ url: url.href });
  expect(made).toBe(3);
  await listener.close();
  refusing.close();
});
