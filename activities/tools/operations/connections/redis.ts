import { ToolFailure } from '../../tool-failure.ts';
import {
  type Account,
  connectionFailure,
  type Endpoint,
  endpointOf,
  type Reach,
  RejectedCredentials,
  requireWrites,
  saidBy,
} from './connections.ts';
import { MeteredSocket } from './metered-socket.ts';
import { kindOfRedisCommand, type RedisCommand } from './redis-commands.ts';

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

/** The server has refused a command, in its own words. */
class RedisError extends Error {
  override readonly name = 'RedisError';
}

const MAX_LINE = 64 * 1024;
const MAX_DEPTH = 16;
const MAX_ITEMS = 200_000;
const LINE_END = '\r\n';
const STRICT = new TextDecoder('utf-8', { fatal: true });

/** Reads the replies of a Redis server (RESP 2). Throws `ToolFailure` for what is none. */
class RespReader {
  readonly #pieces: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);
  #items = 0;

  constructor(stream: AsyncIterable<Buffer>) {
    this.#pieces = stream[Symbol.asyncIterator]();
  }

  /** Returns the next reply as JSON has it; throws `RedisError` when it is an error. */
  async reply(): Promise<unknown> {
    this.#items = 0;
    const value = await this.#value(0);
    if (value instanceof RedisError) throw value;
    return value;
  }

  async #value(depth: number): Promise<unknown> {
    this.#items += 1;
    if (depth > MAX_DEPTH || this.#items > MAX_ITEMS) throw new ToolFailure('upstream', 'The reply has too many parts');
    const line = await this.#line();
    const [type, text] = [line[0], line.slice(1)];
    if (type === '+') return text;
    if (type === '-') return new RedisError(text);
    if (type === ':') return Number.isSafeInteger(Number(text)) ? Number(text) : text;
    const length = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if ((type !== '$' && type !== '*') || !(length >= -1))
      throw new ToolFailure('upstream', 'What answers there is no Redis server: check the base_url');
    return this.#sized(type, length, depth);
  }

  async #sized(type: '$' | '*', length: number, depth: number): Promise<unknown> {
    if (length === -1) return null;
    return type === '$' ? this.#bulk(length) : this.#list(length, depth);
  }

  async #list(length: number, depth: number): Promise<unknown[]> {
    const items: unknown[] = [];
    for (let index = 0; index < length; index += 1) {
      const item = await this.#value(depth + 1);
      items.push(item instanceof RedisError ? { error: item.message } : item);
    }
    return items;
  }

  async #line(): Promise<string> {
    let end = this.#rest.indexOf(LINE_END);
    while (end === -1) {
      if (this.#rest.length > MAX_LINE) throw new ToolFailure('upstream', 'The reply has a line without an end');
      this.#rest = Buffer.concat([this.#rest, await this.#next()]);
      end = this.#rest.indexOf(LINE_END);
    }
    const line = this.#rest.toString('utf8', 0, end);
    this.#rest = this.#rest.subarray(end + LINE_END.length);
    return line;
  }

  async #bulk(length: number): Promise<unknown> {
    const pieces = [this.#rest];
    let have = this.#rest.length;
    while (have < length + LINE_END.length) {
      const piece = await this.#next();
      pieces.push(piece);
      have += piece.length;
    }
    const all = pieces.length === 1 ? this.#rest : Buffer.concat(pieces);
    this.#rest = all.subarray(length + LINE_END.length);
    return textOf(all.subarray(0, length));
  }

  async #next(): Promise<Buffer> {
    const { value, done } = await this.#pieces.next();
    if (done === true) throw Object.assign(new Error('the server has closed the connection'), { code: 'ECONNRESET' });
    return value;
  }
}

/** Returns a command as the server reads it: each part with its length, so none can be taken for another. */
function encodeCommand(parts: readonly string[]): string {
  const encoded = parts.map((part) => `$${Buffer.byteLength(part)}${LINE_END}${part}${LINE_END}`);
  return `*${parts.length}${LINE_END}${encoded.join('')}`;
}

function textOf(bytes: Buffer): unknown {
  try {
    return STRICT.decode(bytes);
  } catch {
    return { base64: bytes.toString('base64') };
  }
}
