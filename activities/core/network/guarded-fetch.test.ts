import type { lookup as dnsLookup } from 'node:dns';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parsePrivateHosts } from '../../../domain/network/addresses.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { BlockedAddressError, type BlockedName } from './guarded-connect.ts';
import { createGuardedFetch, RequestBody, type ResponseBody } from './guarded-fetch.ts';

describe('guarded fetch', () => {
  let server: Server;
  let guarded: ReturnType<typeof createGuardedFetch>;
  let url: string;

  beforeAll(async () => {
    server = createServer((request, response) => void sendBack(request, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    url = `http://127.0.0.1:${port}/`;
    guarded = createGuardedFetch(parsePrivateHosts(`127.0.0.1:${port}`));
  });

  afterAll(async () => {
    await guarded.close();
    server.close();
  });

  async function sendBack(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('content-type', request.headers['content-type'] ?? 'none/none');
    for await (const chunk of request) response.write(chunk);
    response.end();
  }

  /** Sends a body and returns what the server received. */
  async function echo(body: NonNullable<RequestInit['body']>, headers: Readonly<Record<string, string>> = {}) {
    return guarded.fetch(url, { method: 'POST', body, headers });
  }

  describe('a body that is sent through the guarded fetch', () => {
    test('arrives as a form when it is one, files and all', async () => {
      const form = new FormData();
      form.append('model', 'whisper-1');
      form.append('file', new Blob([Uint8Array.of(0, 255, 13, 10)], { type: 'audio/wav' }), 'speech "1".wav');
      const got = await (await echo(form)).formData();
      expect(got.get('model')).toBe('whisper-1');
      const file = got.get('file') as File;
      expect([file.name, file.type, [...(await file.bytes())]]).toEqual([
        'speech "1".wav',
        'audio/wav',
        [0, 255, 13, 10],
      ]);
    });

    test('keeps the headers that come with a form, but for its type, which says where its parts end', async () => {
      const form = new FormData();
      form.append('a', '1');
      const got = await echo(form, { 'Content-Type': 'multipart/form-data' });
      expect(got.headers.get('content-type')).toMatch(/^multipart\/form-data; boundary=./);
    });

    test.each([
      ['a blob', () => new Blob(['hello'], { type: 'image/png' }), 'image/png'],
      ['a file', () => new File(['hello'], 'a.txt', { type: 'text/markdown' }), 'text/markdown'],
      ['a stream', () => new Blob(['hello']).stream(), 'none/none'],
      ['bytes', () => new TextEncoder().encode('hello'), 'none/none'],
      ['a buffer', () => new TextEncoder().encode('hello').buffer, 'none/none'],
      ['a text', () => 'hello', 'text/plain;charset=UTF-8'],
      ['parameters', () => new URLSearchParams({ hello: '' }), 'application/x-www-form-urlencoded;charset=UTF-8'],
    ])('arrives as %s', async (_what, make, type) => {
      const got = await echo(make());
      expect(got.headers.get('content-type')).toBe(type);
      expect(await got.text()).toMatch(/^hello=?$/);
    });
  });

  test('an idle connection is closed in time, however long its server would keep it', async () => {
    const patient = createServer((_request, response) => {
      response.setHeader('keep-alive', 'timeout=600').end();
    }).listen(0, '127.0.0.1');
    patient.keepAliveTimeout = 600_000;
    await once(patient, 'listening');
    const { port } = patient.address() as AddressInfo;
    const connected = once(patient, 'connection') as Promise<[Socket]>;
    const impatient = createGuardedFetch(parsePrivateHosts(`127.0.0.1:${port}`), { maxIdleMs: 50 });
    try {
      await (await impatient.fetch(`http://127.0.0.1:${port}/`)).text();
      const [socket] = await connected;
      if (!socket.closed) await once(socket, 'close');
      expect(socket.closed).toBe(true);
    } finally {
      await impatient.close();
      patient.close();
    }
  });
});

describe('streamed response', () => {
  type Lookup = typeof dnsLookup;
  type LookupCallback = (error: Error | null, addresses: { address: string; family: number }[]) => void;

  let reply: (response: ServerResponse) => void = (response) => response.end();
  const requests: { readonly headers: IncomingMessage['headers']; readonly path: string; readonly body: string }[] = [];
  const sockets: Socket[] = [];

  /** The connection that was made, or has served a request, last. */
  let latest: Socket | undefined;

  let server: Server;
  let guarded: ReturnType<typeof createGuardedFetch>;
  let url: string;

  beforeAll(async () => {
    server = createServer((request, response) => void record(request, response)).listen(0, '127.0.0.1');
    server.on('connection', (socket) => sockets.push((latest = socket)));
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    url = `http://127.0.0.1:${port}`;
    guarded = createGuardedFetch(parsePrivateHosts(`127.0.0.1:${port}`));
  });

  afterAll(async () => {
    await guarded.close();
    server.closeAllConnections();
    server.close();
  });

  async function record(request: IncomingMessage, response: ServerResponse): Promise<void> {
    latest = request.socket;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    requests.push({ headers: request.headers, path: request.url ?? '', body: Buffer.concat(chunks).toString() });
    reply(response);
  }

  const EMPTY = new RequestBody(new Uint8Array());

  async function ask(answer: typeof reply, path = '/', signal = new AbortController().signal) {
    reply = answer;
    const body = new RequestBody(Buffer.from('Grüße'));
    return guarded.requestStream(url + path, { method: 'POST', headers: { 'x-key': 'k' }, body, signal });
  }

  async function textOf(body: ResponseBody | null): Promise<string> {
    const chunks: Uint8Array[] = [];
    if (body !== null) for await (const chunk of body) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  }

  async function failureOf(work: Promise<unknown>): Promise<unknown> {
    return work.then(
      () => 'it did not fail',
      (error: unknown) => error,
    );
  }

  /** Waits until that connection has closed. */
  const closed = async () => waitUntil('the connection to close', () => latest?.destroyed === true || undefined);

  describe('a request', () => {
    test('arrives with its headers and its body, and no header that identifies this machine', async () => {
      const { status, body } = await ask((response) => response.end('hello'), '/v1/a%20b?x=1');
      expect([status, await textOf(body)]).toEqual([200, 'hello']);
      expect(requests.at(-1)).toEqual({
        path: '/v1/a%20b?x=1',
        body: 'Grüße',
        headers: {
          host: url.slice('http://'.length),
          connection: 'keep-alive',
          'accept-encoding': 'identity',
          'x-key': 'k',
          'content-length': '7',
        },
      });
    });

    test.each([10, 1_000_000])('of %d bytes arrives whole, and is released', async (size) => {
      reply = (response) => response.end();
      let hasTaken = false;
      const body = new RequestBody(Buffer.alloc(size, 'x'), () => (hasTaken = true));
      const { signal } = new AbortController();
      await guarded.requestStream(url, { method: 'POST', headers: {}, body, signal });
      expect(requests.at(-1)?.body).toBe('x'.repeat(size));
      expect([hasTaken, body.bytes.byteLength]).toEqual([true, 0]);
    });

    test('is not sent to a private address', async () => {
      const request = { method: 'POST', headers: {}, body: EMPTY, signal: new AbortController().signal } as const;
      for (const address of ['http://10.0.0.1', 'http://localhost:1', 'http://[::1]:9', 'file:///etc/passwd', 'x']) {
        expect(await failureOf(guarded.requestStream(address, request))).toBeInstanceOf(BlockedAddressError);
      }
    });

    test('fails for a name that leads to a private address as for one that does not exist; the operator is notified', async () => {
      const refused: BlockedName[] = [];
      const lookup = ((name: string, _options: unknown, callback: LookupCallback) => {
        if (name === 'inner.example') callback(null, [{ address: '10.0.0.1', family: 4 }]);
        else callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }), []);
      }) as unknown as Lookup;
      const guard = createGuardedFetch(parsePrivateHosts(''), { lookup, onBlocked: (name) => refused.push(name) });
      const fail = async (host: string) => {
        const request = { method: 'POST', headers: {}, body: EMPTY, signal: new AbortController().signal } as const;
        const { code, message } = (await failureOf(guard.requestStream(`http://${host}/`, request))) as Error & {
          code: string;
        };
        return { code, message: message.replace(host, 'host') };
      };
      expect(await fail('inner.example')).toEqual(await fail('none.example'));
      expect(refused).toEqual([{ hostname: 'inner.example', addresses: ['10.0.0.1'] }]);
      await guard.close();
    });

    test('ends at once when it is aborted before there is a connection, and is never sent', async () => {
      const before = requests.length;
      const { promise: lookedUp, resolve: beginLookup } = Promise.withResolvers<() => void>();
      const lookup = ((_name: string, _options: unknown, callback: LookupCallback) => {
        beginLookup(() => callback(null, [{ address: '127.0.0.1', family: 4 }]));
      }) as unknown as Lookup;
      const { port } = new URL(url);
      const slow = createGuardedFetch(parsePrivateHosts(`slow.example:${port}`), { lookup });
      const stop = new AbortController();
      const request = { method: 'POST', headers: {}, body: EMPTY, signal: stop.signal } as const;
      const asked = slow.requestStream(`http://slow.example:${port}/`, request);
      const connect = await lookedUp;
      stop.abort(new Error('told to'));
      await expect(asked).rejects.toThrow('told to');
      await expect(slow.requestStream(`http://slow.example:${port}/`, request)).rejects.toThrow('told to');
      const count = sockets.length;
      connect();
      await waitUntil('the connection', () => sockets.length > count || undefined);
      await slow.close();
      await closed();
      expect(requests).toHaveLength(before);
    });
  });

  describe('a response', () => {
    test('contains its status and its headers, whatever their names', async () => {
      const { status, headers, body } = await ask((response) => {
        response.socket?.end(
          'HTTP/1.1 307 Elsewhere\r\nLocation: /x\r\nX-A: 1\r\nx-a: 2\r\n__proto__: a\r\n__proto__: b\r\n' +
            'constructor: c\r\nContent-Length: 0\r\n\r\n',
        );
      });
      expect(status).toBe(307);
      const names = ['location', 'x-a', 'constructor', 'content-type'];
      expect(names.map((name) => headers.get(name))).toEqual(['/x', '1,2', 'c', null]);
      expect(await textOf(body)).toBe('');
    });

    test('that changes the protocol is none', async () => {
      const answer = (response: ServerResponse) =>
        void response.socket?.end('HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n');
      expect(await failureOf(ask(answer))).toMatchObject({ code: 'UND_ERR_SOCKET' });
    });

    test('that is read to its end leaves the connection to later requests', async () => {
      const count = sockets.length;
      for (let at = 0; at < 10; at += 1) await textOf((await ask((response) => response.end('x'))).body);
      // A request that begins in the very moment in which another ends takes another connection.
      expect(sockets.length - count).toBeLessThanOrEqual(4);
    });

    test('that is cancelled closes its connection, and is no unhandled error', async () => {
      const { body } = await ask((response) => response.write('x'));
      await body?.cancel();
      await closed();
    });

    test('that is left in the middle closes its connection', async () => {
      const { body } = await ask((response) => response.write('x'));
      for await (const chunk of body ?? []) {
        expect(Buffer.from(chunk).toString()).toBe('x');
        break;
      }
      await closed();
    });

    test.each([
      ['before anybody reads it', 0],
      ['while it is read', 1],
    ])('that is aborted %s ends with the reason, and closes its connection', async (_when, reads) => {
      const stop = new AbortController();
      const { body } = await ask((response) => response.write('x'), '/', stop.signal);
      const chunks = body?.[Symbol.asyncIterator]();
      for (let at = 0; at < reads; at += 1) await chunks?.next();
      const next = reads > 0 ? chunks?.next() : undefined;
      stop.abort(new Error('told to'));
      await expect(next ?? chunks?.next()).rejects.toThrow('told to');
      await closed();
    });

    test('whose connection breaks fails', async () => {
      const { body } = await ask((response) => response.write('x', () => response.destroy()));
      expect(await failureOf(textOf(body))).toMatchObject({ code: 'UND_ERR_SOCKET' });
    });
  });

  describe('a response that is compressed although that was not asked for', () => {
    test.each([
      ['gzip', gzipSync],
      ['X-GZIP', gzipSync],
      ['deflate', deflateSync],
      ['br', brotliCompressSync],
      ['zstd', zstdCompressSync],
    ])('is read (%s)', async (coding, pack) => {
      const packed = pack('hello '.repeat(1_000));
      const { body } = await ask((response) => response.writeHead(200, { 'content-encoding': coding }).end(packed));
      expect(await textOf(body)).toBe('hello '.repeat(1_000));
    });

    test('fails when its bytes are wrong, and when they end early', async () => {
      const wrong = await ask((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('hello'));
      expect(await failureOf(textOf(wrong.body))).toMatchObject({ code: 'Z_DATA_ERROR' });
      const half = gzipSync('hello').subarray(0, 12);
      const early = await ask((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(half));
      expect(await failureOf(textOf(early.body))).toMatchObject({ code: 'Z_BUF_ERROR' });
    });

    test('closes its connection when it is cancelled, and when it is aborted', async () => {
      const answer = (response: ServerResponse) =>
        void response.writeHead(200, { 'content-encoding': 'gzip' }).write(gzipSync('hello').subarray(0, 12));
      const { body } = await ask(answer);
      await body?.cancel();
      await closed();
      const stop = new AbortController();
      const aborted = await ask(answer, '/', stop.signal);
      const text = failureOf(textOf(aborted.body));
      stop.abort(new Error('told to'));
      expect(await text).toMatchObject({ message: 'told to' });
      await closed();
    });

    test.each(['compress', 'gzip, gzip', 'x'.repeat(1_000)])('is refused when the coding is "%s"', async (coding) => {
      const asked = ask((response) => response.writeHead(200, { 'content-encoding': coding }).write('x'));
      await expect(asked).rejects.toThrow('its answer is encoded in a way that is not supported');
      await closed();
    });
  });
});
