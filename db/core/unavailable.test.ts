import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { isDatabaseUnavailable } from './unavailable.ts';

// A PostgreSQL server that is paused: the system takes connections for it, and nothing answers.
const sockets: Socket[] = [];
let server: Server;
let connection: { readonly connectionString: string; readonly connectionTimeoutMillis: number };
beforeAll(async () => {
  server = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  connection = {
    connectionString: `postgres://user:password@127.0.0.1:${port}/database`,
    connectionTimeoutMillis: 100,
  };
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

test.each([
  ['a client', async () => new pg.Client(connection).connect()],
  ['a pool', async () => new pg.Pool(connection).query('select 1')],
])('a database that does not answer %s in time is unavailable', async (_who, ask) => {
  const error = await ask().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect([error, isDatabaseUnavailable(error)]).toEqual([expect.any(Error), true]);
});

test('a wrong statement does not make a database unavailable', () => {
  expect(isDatabaseUnavailable(new Error('syntax error'))).toBe(false);
});
