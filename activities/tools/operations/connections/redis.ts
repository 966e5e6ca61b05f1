import type { RunEffect } from '../../tool.ts';
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
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);
  #items = 0;

  constructor(stream: AsyncIterable<Buffer>) {
    this.#chunks = stream[Symbol.asyncIterator]();
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
    const chunks = [this.#rest];
    let have = this.#rest.length;
    while (have < length + LINE_END.length) {
      const chunk = await this.#next();
      chunks.push(chunk);
      have += chunk.length;
    }
    const all = chunks.length === 1 ? this.#rest : Buffer.concat(chunks);
    this.#rest = all.subarray(length + LINE_END.length);
    return textOf(all.subarray(0, length));
  }

  async #next(): Promise<Buffer> {
    const { value, done } = await this.#chunks.next();
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

/** A command for a Redis server. */
export interface RedisCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** The effect of a command, or why it is never run. */
type RedisCommandKind = { readonly effect: RunEffect } | { readonly refusal: string };

const named = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const READING = named(`
  BITCOUNT BITFIELD_RO BITPOS DBSIZE EXISTS EXPIRETIME GEODIST GEOHASH GEOPOS GEOSEARCH GET GETBIT GETRANGE HEXISTS HGET
  HGETALL HKEYS HLEN HMGET HRANDFIELD HSCAN HSTRLEN HVALS INFO LCS LINDEX LLEN LPOS LRANGE MEMORY MGET OBJECT
  PEXPIRETIME PFCOUNT PING PTTL RANDOMKEY SCAN SCARD SDIFF SINTER SINTERCARD SISMEMBER SMEMBERS SMISMEMBER SORT_RO
  SRANDMEMBER SSCAN STRLEN SUNION TIME TTL TYPE XINFO XLEN XPENDING XRANGE XREAD XREVRANGE ZCARD ZCOUNT ZDIFF ZINTER
  ZINTERCARD ZLEXCOUNT ZMSCORE ZRANDMEMBER ZRANGE ZRANGEBYLEX ZRANGEBYSCORE ZRANK ZREVRANGE ZREVRANGEBYLEX
  ZREVRANGEBYSCORE ZREVRANK ZSCAN ZSCORE ZUNION`);
/** Idempotent commands. */
const SETTING = named(`
  DEL EXPIREAT HDEL HMSET HSET LSET MSET PERSIST PEXPIREAT SADD SET SETBIT SETRANGE SREM UNLINK XACK XDEL ZREM`);
const CHANGING = named(`
  APPEND BITFIELD COPY DECR DECRBY EXPIRE GEOADD GETDEL GETEX GETSET HINCRBY HINCRBYFLOAT HSETNX INCR INCRBY
  INCRBYFLOAT LINSERT LMOVE LPOP LPUSH LPUSHX LREM LTRIM MSETNX PEXPIRE PFADD PFMERGE PSETEX PUBLISH RENAME RENAMENX
  RPOP RPOPLPUSH RPUSH RPUSHX SDIFFSTORE SETEX SETNX SINTERSTORE SMOVE SPOP SUNIONSTORE TOUCH XADD XAUTOCLAIM XCLAIM
  XREADGROUP XTRIM ZADD ZDIFFSTORE ZINCRBY ZINTERSTORE ZPOPMAX ZPOPMIN ZRANGESTORE ZREMRANGEBYLEX ZREMRANGEBYRANK
  ZREMRANGEBYSCORE ZUNIONSTORE`);
/** Commands of which one part alone is harmless. */
const PARTS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['MEMORY', named('USAGE')],
  ['OBJECT', named('ENCODING FREQ IDLETIME REFCOUNT')],
  ['XINFO', named('CONSUMERS GROUPS STREAM')],
]);
/** Commands that block a connection until something comes. */
const WAITING = named(`
  BLMOVE BLMPOP BLPOP BRPOP BRPOPLPUSH BZMPOP BZPOPMAX BZPOPMIN MONITOR PSUBSCRIBE PSYNC SSUBSCRIBE SUBSCRIBE SYNC WAIT
  WAITAOF`);
const READS_STREAMS = named('XREAD XREADGROUP');
/** How many arguments follow the options of the commands that read streams. */
const STREAM_OPTIONS: ReadonlyMap<string, number> = new Map([
  ['CLAIM', 1],
  ['COUNT', 1],
  ['GROUP', 2],
  ['NOACK', 0],
]);
const CONDITIONS = named('GET IFEQ IFNE NX XX');

/** Returns what a command does. None runs but those that are known to work on keys, and to answer at once. */
export function kindOfRedisCommand({ command, args }: RedisCommand): RedisCommandKind {
  const name = command.toUpperCase();
  const others = args.slice(1).map((arg) => arg.toUpperCase());
  const refusal = refusalOf(name, args);
  if (refusal !== undefined) return { refusal };
  if (READING.has(name)) return { effect: 'read' };
  if (name === 'SET' && others.slice(1).some((word) => CONDITIONS.has(word))) return { effect: 'once' };
  if (SETTING.has(name)) return { effect: 'keyed' };
  if (CHANGING.has(name)) return { effect: 'once' };
  return {
    refusal: `${name} is not run: only commands on keys are, and none that waits, runs code or rules the server`,
  };
}

function refusalOf(name: string, args: readonly string[]): string | undefined {
  const first = args[0]?.toUpperCase() ?? '';
  if (name === 'KEYS') return 'KEYS keeps a large server busy: use SCAN with MATCH and COUNT';
  if (PARTS.get(name)?.has(first) === false) return `${name} ${first} is not run`;
  if (WAITING.has(name)) return `${name} is not run: it would wait, for as long as nothing comes`;
  const refusal = READS_STREAMS.has(name) ? streamRefusal(args) : undefined;
  return refusal === undefined ? undefined : `${name} ${refusal}`;
}

/**
 * Returns why a command that reads streams is not run. Its options are read as the server reads them, since groups,
 * consumers and streams may have the names of options; those that are not known might wait.
 */
function streamRefusal(args: readonly string[]): string | undefined {
  for (let at = 0; at < args.length; at += 1) {
    const option = args[at]?.toUpperCase() ?? '';
    if (option === 'STREAMS') return undefined;
    if (option === 'BLOCK') return 'with BLOCK is not run: it would wait';
    const values = STREAM_OPTIONS.get(option);
    if (values === undefined) return 'takes COUNT, GROUP, NOACK and CLAIM here, and then STREAMS';
    at += values;
  }
  return undefined;
}
