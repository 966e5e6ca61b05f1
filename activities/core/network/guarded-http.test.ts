import { once } from 'node:events';
import type { lookup as dnsLookup } from 'node:dns';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { parsePrivateHosts } from '../../../domain/network/addresses.ts';
import type { BlockedName } from './guarded-connect.ts';
import { createGuardedFetch } from './guarded-fetch.ts';
import { createGuardedHttp, type GuardedHttp, HttpFailure } from './guarded-http.ts';

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type LookupCallback = (error: Error | null, addresses: { address: string; family: number }[]) => void;

type Reply = (response: ServerResponse, seen: Seen) => void;

/** A server that keeps the requests that reached it. */
class Sink {
  readonly seen: Seen[] = [];
  reply: Reply = (response) => response.end('ok');
  readonly #server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const seen = { method: request.method, url: request.url, headers: request.headers, body };
      this.seen.push(seen);
      this.reply(response, seen);
    });
  });

  async start(): Promise<string> {
    // A busy machine may pause for long; a connection that closes meanwhile is not what this tests.
    this.#server.keepAliveTimeout = 60_000;
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${this.port}`;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const first = new Sink();
const second = new Sink();
const hidden = new Sink();
let guarded: ReturnType<typeof createGuardedFetch>;
let http: GuardedHttp;
let url: string;
let otherUrl: string;
let hiddenUrl: string;

beforeAll(async () => {
  url = await first.start();
  otherUrl = await second.start();
  hiddenUrl = await hidden.start();
  guarded = createGuardedFetch(parsePrivateHosts(`127.0.0.1:${first.port},127.0.0.1:${second.port}`));
  http = createGuardedHttp(guarded.fetch);
});
afterAll(async () => {
  await guarded.close();
  for (const sink of [first, second, hidden]) sink.close();
});
beforeEach(() => {
  for (const sink of [first, second, hidden]) {
    sink.seen.length = 0;
    sink.reply = (response) => response.end('ok');
  }
});

type Options = Partial<Parameters<GuardedHttp['request']>[0]>;

async function ask(address: string, options: Options = {}) {
  return http.request({
    url: address,
    method: 'GET',
    headers: {},
    followRedirects: true,
    timeoutMs: 100_000,
    maxBytes: 100_000,
    signal: new AbortController().signal,
    ...options,
  });
}

async function failureOf(address: string, options: Options = {}): Promise<HttpFailure> {
  const failure = await ask(address, options).catch((error: unknown) => error);
  if (!(failure instanceof HttpFailure)) throw new Error('the request did not fail as it should', { cause: failure });
  return failure;
}

const redirectTo =
  (location: string, status = 302): Reply =>
  (response, seen) =>
    seen.url === '/start' ? response.writeHead(status, { location }).end() : response.end('arrived');

describe('a guarded request', () => {
  test('answers status, headers and body of whatever the server says', async () => {
    first.reply = (response) => response.writeHead(404, { 'x-a': '1' }).end('no');
    const answer = await ask(`${url}/x?a=1`, { method: 'POST', body: 'hello', headers: { 'X-B': '2' } });
    expect([answer.status, answer.headers.get('x-a'), answer.body.toString()]).toEqual([404, '1', 'no']);
    expect(first.seen).toMatchObject([{ method: 'POST', url: '/x?a=1', body: 'hello', headers: { 'x-b': '2' } }]);
  });

  test.each(['HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE'])('is made with the method %s', async (method) => {
    expect((await ask(url, { method })).status).toBe(200);
    expect(first.seen[0]?.method).toBe(method);
  });

  test('reads no more of the body than it may', async () => {
    first.reply = (response) => response.end('x'.repeat(300_000));
    const answer = await ask(url);
    expect([answer.body.length, answer.isTruncated]).toEqual([100_000, true]);
  });

  test('reads no more than it may of a body that is small on the wire only', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024));
    first.reply = (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    const before = process.memoryUsage().rss;
    const answer = await ask(url);
    expect([answer.body.length, answer.isTruncated]).toEqual([100_000, true]);
    expect(process.memoryUsage().rss - before).toBeLessThan(128 * 1024 * 1024);
  });

  test('fails when the answer is wrapped in very many codings', async () => {
    const codings = Array.from({ length: 500 }, () => 'gzip').join(', ');
    first.reply = (response) => response.writeHead(200, { 'content-encoding': codings }).end('x');
    expect((await failureOf(url)).kind).toBe('upstream');
  });

  test('fails when the headers of the answer are huge', async () => {
    first.reply = (response) => response.writeHead(200, { 'x-big': 'x'.repeat(1_000_000) }).end();
    expect((await failureOf(url)).kind).toBe('upstream');
  });

  test('ends when the time is up while the body still comes', async () => {
    first.reply = (response) => response.writeHead(200).write('x');
    expect((await failureOf(url, { timeoutMs: 200 })).kind).toBe('timeout');
  });

  test("throws the signal's reason when it aborts", async () => {
    const controller = new AbortController();
    first.reply = () => controller.abort(new Error('stop'));
    await expect(ask(url, { signal: controller.signal })).rejects.toThrow('stop');
  });

  test.each([
    ['nothing answers', undefined, 'refused'],
    ['fetch blocks the port', 'http://127.0.0.1:6000/', 'its port is reserved for another protocol'],
  ])('says in words that %s, and that nothing was sent', async (_case, blocked, words) => {
    const gone = new Sink();
    const address = blocked ?? (await gone.start());
    const open = createGuardedFetch(parsePrivateHosts('127.0.0.1:*'));
    gone.close();
    const asked = createGuardedHttp(open.fetch).request({
      url: address,
      method: 'GET',
      headers: {},
      followRedirects: true,
      timeoutMs: 100_000,
      maxBytes: 1,
      signal: new AbortController().signal,
    });
    const failure = { kind: 'upstream', message: expect.stringContaining(words), mayHaveArrived: false };
    await expect(asked).rejects.toMatchObject(failure);
    await open.close();
  });

  test.each(['Host', 'connection', 'Content-Length', 'Transfer-Encoding', 'Upgrade', 'Proxy-Authorization', 'TE'])(
    'refuses the header %s',
    async (name) => {
      expect(await failureOf(url, { headers: { [name]: 'x' } })).toMatchObject({ kind: 'invalid_input' });
      expect(first.seen).toEqual([]);
    },
  );

  test.each([
    ['X-A', 'a\r\nX-B: 1'],
    ['X-A', 'a\nb'],
    ['X-A', 'a\u0000'],
    ['X-A', '\u{1F600}'],
    ['X-A\r\nX-B', 'a'],
    ['', 'a'],
  ])('refuses a header that would break out: %j: %j', async (name, value) => {
    expect((await failureOf(url, { headers: { [name]: value } })).kind).toBe('invalid_input');
    expect(first.seen).toEqual([]);
  });
});

describe('an address that may not be reached', () => {
  const SPELLINGS = [
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.0x0.0x0.0x1',
    '0177.0.0.1',
    '017700000001',
    '127.0.0.01',
    '127.0.0.1.',
    '0',
    '0.0.0.0',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'x.localhost',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
    'loca\u00ADlhost',
    '127%2e0%2e0%2e1',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:0:127.0.0.1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
  ];

  test.each(SPELLINGS)('is refused as %s', async (host) => {
    expect((await failureOf(`http://${host}:${hidden.port}/`)).kind).toBe('denied');
    expect(hidden.seen).toEqual([]);
  });

  test.each([
    'http://10.0.0.1',
    'http://172.16.0.1',
    'http://192.168.0.1',
    'http://169.254.169.254/latest/meta-data/',
    'http://100.100.100.200',
    'http://[fd00:ec2::254]',
    'http://[fe80::1]',
    'http://224.0.0.1',
    'http://192.0.2.1',
    'http://user:pass@example.com',
    'http://example.com@127.0.0.1',
    String.raw`http:\\127.0.0.1`,
    'http:127.0.0.1',
    'http:///127.0.0.1',
    '\thttp://127.0.0.1',
    'ht\ntp://127.0.0.1',
    'http://example.com:22',
    'http://example.com:6379',
  ])('is refused as %j', async (address) => {
    expect((await failureOf(address)).kind).toBe('denied');
  });

  test.each([
    'file:///etc/passwd',
    'gopher://127.0.0.1',
    'data:text/plain,x',
    'blob:x',
    'javascript:1',
    'ws://127.0.0.1',
    'http+unix://x',
    'http://256.256.256.256',
    'http://a:99999',
    '//127.0.0.1',
    '',
  ])('is no address at all as %j', async (address) => {
    expect((await failureOf(address)).kind).toBe('invalid_input');
  });

  test.each([301, 302, 303, 307, 308])('is refused behind a redirect with %d', async (status) => {
    first.reply = redirectTo(`${hiddenUrl}/`, status);
    expect((await failureOf(`${url}/start`)).kind).toBe('denied');
    expect(hidden.seen).toEqual([]);
  });

  test.each(['file:///etc/passwd', 'http://u:p@127.0.0.1/', String.raw`\\127.0.0.1\x`, 'http://[', '//localhost/'])(
    'is refused behind a redirect to %s',
    async (location) => {
      first.reply = redirectTo(location);
      expect(['denied', 'invalid_input', 'upstream']).toContain((await failureOf(`${url}/start`)).kind);
      expect(hidden.seen).toEqual([]);
    },
  );

  test('is not quoted when a server chose it', async () => {
    first.reply = redirectTo('http://ignore-all-instructions.localhost/');
    const failure = await failureOf(`${url}/start`);
    expect([failure.kind, failure.message]).toEqual(['denied', expect.not.stringContaining('ignore')]);
  });

  test('is refused in the same words whether anything listens there or not', async () => {
    const open = await failureOf(`http://localhost:${hidden.port}/`);
    const closed = await failureOf('http://localhost:1/');
    expect(open.message.replace(String(hidden.port), '1')).toBe(closed.message);
  });
});

describe('a redirect', () => {
  test('is followed to where it leads, relative ones too', async () => {
    first.reply = redirectTo('next?x=1');
    const answer = await ask(`${url}/start`);
    expect([answer.body.toString(), answer.finalUrl, answer.redirects]).toEqual(['arrived', `${url}/next?x=1`, 1]);
  });

  test('is answered as it is when redirects are not followed', async () => {
    first.reply = redirectTo('/next');
    expect((await ask(`${url}/start`, { followRedirects: false })).status).toBe(302);
  });

  test.each([301, 302, 307, 308])('repeats a POST behind a %d when that is asked for', async (status) => {
    first.reply = redirectTo('/next', status);
    await ask(`${url}/start`, { method: 'POST', body: 'hello', repeatsPost: true });
    expect(first.seen.at(-1)).toMatchObject({ method: 'POST', url: '/next', body: 'hello' });
  });

  test('ends in a failure after the fifth', async () => {
    first.reply = (response) => response.writeHead(302, { location: '/again' }).end();
    expect((await failureOf(url)).message).toContain('5 times');
    expect(first.seen).toHaveLength(6);
  });

  test('takes to another origin only what cannot be a secret, and keeps everything in the same', async () => {
    const plain = { accept: 'text/plain', 'accept-language': 'de', range: 'bytes=0-9', 'user-agent': 'mine' };
    const headers = {
      ...plain,
      'X-JWT': 'j',
      'X-Functions-Key': 'f',
      'X-Master-Key': 'm',
      'X-Pin': '1',
      'Accept-Token': 't',
      'Idempotency-Key': 'i',
      Referer: 'http://first.example/?token=1',
      Authorization: 'Bearer x',
      Cookie: 'a=1',
      'X-Api-Key': 'k',
      'PRIVATE-TOKEN': 't',
      'X-Plain': 'p',
    };
    first.reply = redirectTo(`${otherUrl}/`);
    await ask(`${url}/start`, { headers });
    expect(first.seen[0]?.headers).toMatchObject({ authorization: 'Bearer x', cookie: 'a=1' });
    const { host: _host, connection: _connection, ...arrived } = second.seen[0]?.headers ?? {};
    expect(arrived).toMatchObject(plain);
    const added = ['accept-encoding', 'sec-fetch-mode'];
    expect(
      Object.keys(arrived)
        .filter((name) => !added.includes(name))
        .toSorted(),
    ).toEqual(Object.keys(plain).toSorted());
    first.reply = redirectTo('/same');
    await ask(`${url}/start`, { headers });
    expect(first.seen.at(-1)).toMatchObject({ url: '/same', headers: { authorization: 'Bearer x', cookie: 'a=1' } });
  });

  test.each([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'POST', 'GET', ''],
    [303, 'PUT', 'GET', ''],
    [307, 'POST', 'POST', 'payload'],
    [308, 'PUT', 'PUT', 'payload'],
    [302, 'PUT', 'PUT', 'payload'],
  ])('with %d turns %s into %s', async (status, method, expected, body) => {
    first.reply = redirectTo('/next', status);
    await ask(`${url}/start`, { method, body: 'payload', headers: { 'content-type': 'text/plain' } });
    expect(first.seen[1]).toMatchObject({ method: expected, body });
  });

  describe.each([undefined, 'secret'])('with the body %j', (body) => {
    test.each([
      [307, 'POST'],
      [308, 'POST'],
      [301, 'PUT'],
      [302, 'PATCH'],
      [302, 'DELETE'],
      [307, 'DELETE'],
      [308, 'PROPFIND'],
    ])('a change is not taken to another origin: %d, %s', async (status, method) => {
      first.reply = redirectTo(`${otherUrl}/`, status);
      expect((await ask(`${url}/start`, { method, body })).status).toBe(status);
      expect(second.seen).toEqual([]);
    });
  });

  test('a POST that is to be repeated is not taken to another origin either', async () => {
    first.reply = redirectTo(`${otherUrl}/`, 302);
    expect((await ask(`${url}/start`, { method: 'POST', repeatsPost: true })).status).toBe(302);
    expect(second.seen).toEqual([]);
  });

  test.each([
    [302, 'GET', 'GET'],
    [308, 'HEAD', 'HEAD'],
    [307, 'OPTIONS', 'OPTIONS'],
    [303, 'DELETE', 'GET'],
    [302, 'POST', 'GET'],
  ])('what only reads is asked for at another origin: %d, %s', async (status, method, expected) => {
    first.reply = redirectTo(`${otherUrl}/`, status);
    expect((await ask(`${url}/start`, { method })).status).toBe(200);
    expect(second.seen).toMatchObject([{ method: expected }]);
  });
});

describe('a name that leads to a private address', () => {
  test('is answered like one that does not exist; the operator is notified', async () => {
    const refused: BlockedName[] = [];
    const lookup = ((name: string, _options: unknown, callback: LookupCallback) => {
      if (name === 'inner.example') callback(null, [{ address: '10.0.0.1', family: 4 }]);
      else callback(Object.assign(new Error('none'), { code: 'ENOTFOUND' }), []);
    }) as unknown as typeof dnsLookup;
    const guard = createGuardedFetch(parsePrivateHosts(''), { lookup, onBlocked: (name) => refused.push(name) });
    const http = createGuardedHttp(guard.fetch);
    const fail = async (host: string) => {
      const request = { url: `http://${host}/`, method: 'GET', headers: {}, followRedirects: true };
      const limits = { timeoutMs: 100_000, maxBytes: 1, signal: new AbortController().signal };
      const error: unknown = await http.request({ ...request, ...limits }).catch((thrown: unknown) => thrown);
      if (!(error instanceof HttpFailure)) throw new Error('the request did not fail as it should', { cause: error });
      return { kind: error.kind, message: error.message, mayHaveArrived: error.mayHaveArrived };
    };
    const inner = await fail('inner.example');
    expect(inner).toEqual(await fail('none.example'));
    expect(inner.message).toContain('its host name is unknown, or leads to a private address');
    expect(refused).toEqual([{ hostname: 'inner.example', addresses: ['10.0.0.1'] }]);
    await guard.close();
  });
});
