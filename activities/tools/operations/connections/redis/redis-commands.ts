import type { RunEffect } from '../../../tool.ts';

/** A command for a Redis server. */
export interface RedisCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** What a command does, or why it is never run. */
export type RedisCommandKind = { readonly effect: RunEffect } | { readonly refusal: string };

const named = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const READING = named(`
  BITCOUNT BITFIELD_RO BITPOS DBSIZE EXISTS EXPIRETIME GEODIST GEOHASH GEOPOS GEOSEARCH GET GETBIT GETRANGE HEXISTS HGET
  HGETALL HKEYS HLEN HMGET HRANDFIELD HSCAN HSTRLEN HVALS INFO LCS LINDEX LLEN LPOS LRANGE MEMORY MGET OBJECT
  PEXPIRETIME PFCOUNT PING PTTL RANDOMKEY SCAN SCARD SDIFF SINTER SINTERCARD SISMEMBER SMEMBERS SMISMEMBER SORT_RO
  SRANDMEMBER SSCAN STRLEN SUNION TIME TTL TYPE XINFO XLEN XPENDING XRANGE XREAD XREVRANGE ZCARD ZCOUNT ZDIFF ZINTER
  ZINTERCARD ZLEXCOUNT ZMSCORE ZRANDMEMBER ZRANGE ZRANGEBYLEX ZRANGEBYSCORE ZRANK ZREVRANGE ZREVRANGEBYLEX
  ZREVRANGEBYSCORE ZREVRANK ZSCAN ZSCORE ZUNION`);
/** What leaves the same state when it is repeated. */
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
const CONDITIONS = named('GET IFEQ IFNE NX XX');

/** Returns what a command does. None runs but those that are known to work on keys, and to answer at once. */
export function kindOfRedisCommand({ command, args }: RedisCommand): RedisCommandKind {
  const name = command.toUpperCase();
  const [first = '', ...others] = args.map((arg) => arg.toUpperCase());
  if (name === 'KEYS') return { refusal: 'KEYS keeps a large server busy: use SCAN with MATCH and COUNT' };
  if (PARTS.get(name)?.has(first) === false) return { refusal: `${name} ${first} is not run` };
  // Only commands that read streams wait, and the names of streams follow this word.
  const isWaiting = name.startsWith('XREAD') && args.slice(0, streamsAt(args)).some((arg) => /^block$/i.test(arg));
  if (isWaiting) return { refusal: `${name} with BLOCK is not run: it would wait` };
  if (READING.has(name)) return { effect: 'read' };
  if (name === 'SET' && others.slice(1).some((word) => CONDITIONS.has(word))) return { effect: 'once' };
  if (SETTING.has(name)) return { effect: 'keyed' };
  if (CHANGING.has(name)) return { effect: 'once' };
  return {
    refusal: `${name} is not run: only commands on keys are, and none that waits, runs code or rules the server`,
  };
}

function streamsAt(args: readonly string[]): number {
  const at = args.findIndex((arg) => /^streams$/i.test(arg));
  return at === -1 ? args.length : at;
}
