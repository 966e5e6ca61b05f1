import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { limitBodyChunks } from './body-chunks.ts';
import { BodyLimit } from './body-limit.ts';

describe('body limit', () => {
  const MEGABYTE = 1024 * 1024;

  describe('the room for bodies on their way', () => {
    test('is bounded for one sender, and for all together', () => {
      const room = new BodyLimit({ maxBytes: 3 * MEGABYTE, maxBytesOfOne: 2 * MEGABYTE });
      room.acquire('a', MEGABYTE);
      room.acquire('a', MEGABYTE);
      expect(() => room.acquire('a', MEGABYTE)).toThrow('You have too many');
      room.acquire('b', MEGABYTE);
      expect(() => room.acquire('c', MEGABYTE)).toThrow('The server has too many');
    });

    test('is there again when a body has arrived', () => {
      const room = new BodyLimit({ maxBytes: MEGABYTE, maxBytesOfOne: MEGABYTE });
      const release = room.acquire('a', MEGABYTE);
      expect(() => room.acquire('a', MEGABYTE)).toThrow();
      release();
      expect(() => room.acquire('a', MEGABYTE)).not.toThrow();
    });

    test('is never short for small bodies', () => {
      const room = new BodyLimit({ maxBytes: MEGABYTE, maxBytesOfOne: MEGABYTE });
      room.acquire('a', MEGABYTE);
      for (let count = 0; count < 1_000; count += 1) room.acquire('a', 16 * 1024);
      expect(() => room.acquire('a', 17 * 1024)).toThrow();
    });
  });
});

describe('limit body chunks', () => {
  const HEAD = 'POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n';
  const END = '0\r\n\r\n';

  let server: Server;
  afterEach(() => void server.close());

  describe('a body in chunks', () => {
    test('of a byte breaks its connection off', async () => {
      let received = 0;
      const answer = await send(HEAD + '1\r\na\r\n'.repeat(100_000) + END, (request) => {
        request.on('data', (bytes: Buffer) => (received += bytes.byteLength));
      });
      expect(answer).toBe('');
      expect(received).toBeLessThanOrEqual(4_000);
    });

    test('of a byte breaks its connection off, also when it has been answered and nobody reads the body', async () => {
      const body = '1\r\na\r\n'.repeat(1_000);
      const answer = await send([HEAD, ...Array.from({ length: 100 }, () => body)], (_request, response) => {
        response.end('no');
      });
      expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
    });

    test('of some hundred bytes is read whole', async () => {
      const body = `12c\r\n${'b'.repeat(300)}\r\n`.repeat(3_500);
      const answer = await send(HEAD + body + END, (request, response) => {
        let received = 0;
        request.on('data', (bytes: Buffer) => (received += bytes.byteLength));
        request.on('end', () => response.setHeader('connection', 'close').end(`read ${received}`));
      });
      expect(answer).toContain(`read ${300 * 3_500}`);
    });

    test('that nobody reads leaves the connection to the next request', async () => {
      const body = `12c\r\n${'b'.repeat(300)}\r\n`.repeat(1_000);
      const next = 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
      const answer = await send(HEAD + body + END + next, (_request, response) => response.end('no'));
      expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
    });
  });

  /** Sends data chunk by chunk, and returns everything received until the connection was closed. */
  async function send(chunks: string | readonly string[], listener: RequestListener): Promise<string> {
    server = createServer(limitBodyChunks(listener)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    let answer = '';
    socket.on('data', (data: Buffer) => (answer += data.toString()));
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    for (const chunk of [chunks].flat()) {
      if (socket.destroyed) break;
      socket.write(chunk);
      await setImmediate();
    }
    await closed;
    return answer;
  }
});
