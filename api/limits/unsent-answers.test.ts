import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Response } from 'express';
import { pino } from 'pino';
import { waitUntil } from '../../test/support/wait-until.ts';
import { UnsentAnswers } from './unsent-answers.ts';

const MEBIBYTE = 1024 ** 2;
/** More than the buffers of two sockets hold. */
const ANSWER = Buffer.alloc(16 * MEBIBYTE, 'x');

let server: Server;
let sockets: Socket[];
beforeEach(async () => {
  sockets = [];
  const unsent = new UnsentAnswers({ maxBytes: 40 * MEBIBYTE, log: pino({ level: 'silent' }) });
  server = createServer((request, response) => {
    // A stream goes on, and is tracked with each of its parts.
    if (request.url === '/stream') response.write(ANSWER);
    else response.end(ANSWER);
    unsent.track(response as Response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

/** Sends a request, and reads nothing of the response. */
async function askWithoutReading(): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  socket.pause();
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const asked = once(server, 'request');
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await asked;
  return socket;
}

async function bytesOf(socket: Socket): Promise<number> {
  let bytes = 0;
  let hasEnded = false;
  socket.on('data', (chunk: Buffer) => (bytes += chunk.length));
  socket.on('close', () => (hasEnded = true));
  socket.resume();
  await waitUntil('the answer to end', async () => hasEnded || bytes >= ANSWER.length || undefined);
  return bytes;
}

describe('UnsentAnswers', () => {
  test('breaks off those that have waited longest when unread responses take too much memory', async () => {
    const first = await askWithoutReading();
    const others = [await askWithoutReading(), await askWithoutReading(), await askWithoutReading()];
    expect(await bytesOf(first)).toBeLessThan(ANSWER.length);
    const [last] = others.slice(-1) as [Socket];
    expect(await bytesOf(last)).toBeGreaterThanOrEqual(ANSWER.length);
  });

  test('lets readers that read have as many as they like', async () => {
    const { port } = server.address() as AddressInfo;
    for (let round = 0; round < 8; round += 1) {
      const [answer] = (await once(get({ host: '127.0.0.1', port }), 'response')) as [IncomingMessage];
      let bytes = 0;
      for await (const chunk of answer) bytes += (chunk as Buffer).length;
      expect(bytes).toBe(ANSWER.length);
    }
  });

  test('counts a stream no longer when its reader has taken what there was', async () => {
    const { port } = server.address() as AddressInfo;
    const streams: IncomingMessage[] = [];
    for (let round = 0; round < 5; round += 1) {
      const [stream] = (await once(get({ host: '127.0.0.1', port, path: '/stream' }), 'response')) as [IncomingMessage];
      streams.push(stream);
      let bytes = 0;
      stream.on('error', () => undefined).on('data', (chunk: Buffer) => (bytes += chunk.length));
      await waitUntil('the part', () => (bytes === ANSWER.length ? true : undefined));
    }
    expect(streams.map(({ destroyed }) => destroyed)).toEqual(streams.map(() => false));
    for (const stream of streams) stream.destroy();
  });
});
