import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parsePrivateHosts } from '../../../domain/network/index.ts';
import { createGuardedFetch } from './guarded-fetch.ts';

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
  for await (const piece of request) response.write(piece);
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
