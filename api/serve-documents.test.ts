import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import express from 'express';
import type { ApiContext } from './context/api-context.ts';
import { serveDocuments } from './serve-documents.ts';

let failures = 1;
const render = () => {
  failures -= 1;
  if (failures >= 0) throw new Error('the file cannot be read');
  return Buffer.from('the document');
};
const app = express();
const server = createServer(app);
beforeAll(async () => {
  const context = {
    trustedProxies: () => false,
    requestLimits: { countStranger: async () => undefined },
    unsentAnswers: { track: () => undefined },
  } as unknown as ApiContext;
  app.set('env', 'test');
  serveDocuments(app, { documents: [{ path: '/document', type: 'text/plain', render }], hasConsole: true }, context);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test('a document that could not be rendered once is rendered for the next request', async () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/document`;
  expect((await fetch(url)).status).toBe(500);
  const [packed, again] = [await fetch(url), await fetch(url)];
  expect([packed.status, packed.headers.get('content-encoding'), await packed.text()]).toEqual([
    200,
    'gzip',
    'the document',
  ]);
  expect(await again.text()).toBe('the document');
  expect(failures).toBe(-1);
});
