import type { RunEffect } from '../../tool.ts';

/** A command for a Redis server. */
export interface RedisCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** What a command does, or why it is never run. */
type RedisCommandKind = { readonly effect: RunEffect } | { readonly refusal: string };

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
/** What holds a connection until something comes. */
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
