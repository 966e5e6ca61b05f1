import { ToolFailure } from '../../../tool-failure.ts';
import { connectionFailure, RejectedCredentials, saidBy } from '../connection-failure.ts';
import type { Account, Reach } from '../connections.ts';
import { type Endpoint, endpointOf } from '../endpoint.ts';
import { MeteredSocket } from '../metered-socket.ts';
import { requireWrites } from '../require-writes.ts';
import { kindOfRedisCommand, type RedisCommand } from './redis-commands.ts';
import { encodeCommand, RedisError, RespReader } from './resp-reader.ts';

const MAX_BYTES = 8 * 1024 * 1024;
const REJECTED = /^(?:WRONGPASS|NOAUTH|NOPERM|ERR invalid password|ERR .*AUTH)/;

type Send = (parts: readonly string[]) => Promise<unknown>;

/** Runs a command on a Redis server. */
export async function runOnRedis(account: Account, command: RedisCommand, reach: Reach): Promise<unknown> {
  const kind = kindOfRedisCommand(command);
  if ('refusal' in kind) throw new ToolFailure('denied', kind.refusal);
  if (kind.effect !== 'read') requireWrites(account);
  let isSent = false;
  try {
    return await inSession(account, reach, async (send) => {
      isSent = kind.effect !== 'read';
      return send([command.command, ...command.args]);
    });
  } catch (error) {
    reach.signal.throwIfAborted();
    const { service } = endpointOf(account);
    if (!(error instanceof RedisError)) throw connectionFailure(error, account, { service, isUncertain: isSent });
    const message = `${service} refuses the command: ${saidBy(account, error)}`;
    throw new ToolFailure('invalid_input', message, { cause: error, isForeign: true });
  }
}

/** Signs in to a Redis server. */
export async function signInToRedis(account: Account, reach: Reach): Promise<void> {
  try {
    await inSession(account, reach, async (send) => send(['PING']));
  } catch (error) {
    reach.signal.throwIfAborted();
    throw connectionFailure(error, account, endpointOf(account));
  }
}

async function inSession<T>(
  account: Account,
  { sockets, signal }: Reach,
  work: (send: Send) => Promise<T>,
): Promise<T> {
  const endpoint = endpointOf(account);
  const { host, port, tls } = endpoint;
  const socket = new MeteredSocket(await sockets.connect(host, port, { tls, signal }), MAX_BYTES);
  const end = () => socket.destroy(signal.reason as Error);
  signal.addEventListener('abort', end, { once: true });
  const reader = new RespReader(socket);
  const send: Send = async (parts) => {
    socket.write(encodeCommand(parts));
    return reader.reply();
  };
  try {
    await begin(send, endpoint);
    return await work(send);
  } finally {
    signal.removeEventListener('abort', end);
    socket.destroy();
  }
}

async function begin(send: Send, { service, user, password, path }: Endpoint): Promise<void> {
  try {
    if (password !== '') await send(user === '' ? ['AUTH', password] : ['AUTH', user, password]);
    // A server that asks for a password says so here.
    await send(['SELECT', path === '' ? '0' : path]);
  } catch (error) {
    if (error instanceof RedisError && REJECTED.test(error.message))
      throw new RejectedCredentials(service, { cause: error });
    throw error;
  }
}
