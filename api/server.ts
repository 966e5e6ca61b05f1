import { createServer, type Server } from 'node:http';
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { ACCESS_CHANNEL } from '../db/auth/index.ts';
import { type Database, SecretBox } from '../db/core/index.ts';
import type { PrivateHosts } from '../domain/network/index.ts';
import { createApp } from './app.ts';
import { createAuthLimits } from './auth/index.ts';
import { ChatFeeds } from './chat-feed/index.ts';
import { SocketServer } from './chat-socket/index.ts';
import type { ApiContext } from './core/api-context.ts';
import { SessionTokens } from './core/tokens.ts';
import { createMetrics } from './health/index.ts';

interface ServerOptions {
  readonly database: Database;
  readonly temporal: Client;
  readonly secretKeys: readonly [string, ...string[]];
  readonly privateHosts: PrivateHosts;
  readonly registration: ApiContext['registration'];
  readonly log: Logger;
  readonly checkAnswers?: boolean;
}

/** The api of one process, ready to listen. */
export interface ApiServer {
  readonly http: Server;
  /** Takes no more requests, tells clients to come back, and waits until the rest is done. */
  close(): Promise<void>;
}

/** Puts the api together; throws when the database does not answer. */
export async function createServerOf(options: ServerOptions): Promise<ApiServer> {
  const { database, secretKeys, log } = options;
  let sockets: SocketServer | undefined;
  const recheck = (userId?: string) => void sockets?.recheck(userId);
  const chats = await ChatFeeds.start({
    database,
    log,
    alsoListen: {
      channels: [ACCESS_CHANNEL],
      onNotification: (_channel, userId) => recheck(userId),
      onReconnect: () => recheck(),
    },
  });
  const context: ApiContext = {
    database,
    temporal: options.temporal,
    box: new SecretBox(secretKeys),
    tokens: new SessionTokens(secretKeys),
    limits: createAuthLimits(database),
    privateHosts: options.privateHosts,
    registration: options.registration,
    chats,
    log,
  };
  sockets = new SocketServer(context);
  const metrics = createMetrics(() => sockets?.openCount ?? 0);
  // A request must arrive whole within these times; how long it is answered is not bounded here.
  const http = createServer({
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    keepAliveTimeout: 65_000,
    maxHeaderSize: 16_384,
  });
  http.on('request', createApp({ context, metrics, checkAnswers: options.checkAnswers ?? false }));
  sockets.attach(http);
  return { http, close: () => closeAll(http, sockets, chats) };
}

async function closeAll(http: Server, sockets: SocketServer | undefined, chats: ChatFeeds): Promise<void> {
  sockets?.close();
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  http.closeIdleConnections();
  // Streams last as long as their turns, which go on without us: their readers come back to another process.
  setTimeout(() => http.closeAllConnections(), 500).unref();
  await closed;
  await chats.close();
}
