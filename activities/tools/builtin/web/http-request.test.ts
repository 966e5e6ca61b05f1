import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { OutsideServer } from '../../../../test/support/outside-server.ts';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import type { ToolArguments } from '../../tool.ts';
import { httpRequest } from './http-request.ts';

let server: OutsideServer;
let url: string;
let tools: TestTools;

beforeAll(async () => {
  server = await OutsideServer.start();
  ({ url } = server);
  tools = await createTestTools({ privateHosts: `127.0.0.1:${server.port}` });
});
afterAll(async () => {
  await tools.close();
  server.close();
});
beforeEach(() => {
  server.seen.length = 0;
  server.reply = (response) => response.end('ok');
});

async function call(args: ToolArguments): Promise<string> {
  return String((await prepareCall(httpRequest, args).run(tools.context)).value);
}

describe('http_request', () => {
  test('answers status, headers and body, and marks them as from outside', async () => {
    server.reply = (response) =>
      response.writeHead(201, { 'content-type': 'application/json', 'set-cookie': 'sid=secret' }).end('{"a":"ü"}');
    const output = await prepareCall(httpRequest, { url }).run(tools.context);
    expect(output.isForeign).toBe(true);
    expect(output.value).toMatch(/^HTTP status 201\n/);
    expect(output.value).toMatch(/\n\n\{"a":"ü"\}$/);
    expect(output.value).not.toContain('secret');
  });

  test('masks likely secrets in the address that it answers', async () => {
    const answer = await call({ url: `${url}/x?page=2`, query: { token: 'tok-1' } });
    expect(answer).toContain(`address: ${url}/x?page=2&token=***\n`);
    expect(server.seen).toMatchObject([{ url: '/x?page=2&token=tok-1' }]);
  });

  test('sends query, headers and a body as JSON', async () => {
    await call({
      url: `${url}/x?a=1`,
      method: 'POST',
      query: { b: 'ä&=', c: [1, true] },
      headers: { 'X-A': 'y' },
      body: { n: [1] },
    });
    expect(server.seen).toMatchObject([
      {
        method: 'POST',
        url: '/x?a=1&b=%C3%A4%26%3D&c=1&c=true',
        headers: { 'x-a': 'y', 'content-type': 'application/json' },
        body: '{"n":[1]}',
      },
    ]);
  });

  test('shows no bytes that are not text', async () => {
    server.reply = (response) => response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from([137, 0, 1]));
    expect(await call({ url })).toContain('[3 bytes that are not text]');
  });

  test.each([
    [{ url: 'http://169.254.169.254/' }, 'denied'],
    [{ url: 'http://127.0.0.1:1/' }, 'denied'],
    [{ url: 'file:///etc/passwd' }, 'invalid_input'],
    [{ url: 'nonsense' }, 'invalid_input'],
    [{ url: 'http://example.com', body: 'x' }, 'invalid_input'],
    [{ url: 'http://example.com', headers: { Host: 'x' } }, 'invalid_input'],
  ])('refuses %j', async (args, kind) => {
    await expect(call(args)).rejects.toMatchObject({ name: 'ToolFailure', kind });
  });

  test.each([
    [{ url: 'http://a' }, 'read'],
    [{ url: 'http://a', method: 'HEAD' }, 'read'],
    [{ url: 'http://a', method: 'POST' }, 'once'],
    [{ url: 'http://a', method: 'DELETE' }, 'once'],
    [{ url: 'http://a', method: 'POST', idempotency_key: 'k' }, 'keyed'],
    [{ url: 'http://a', method: 'POST', headers: { 'IDEMPOTENCY-key': 'k' } }, 'keyed'],
    [{ url: 'http://a', method: 'POST', headers: { 'Idempotency-Key': ' ' } }, 'once'],
  ] as const)('has the effect of %j', (args, effect) => {
    expect(prepareCall(httpRequest, args).effect).toBe(effect);
  });

  test('sends one idempotency key, the one that was given', async () => {
    const headers = { 'idempotency-KEY': 'from-header' };
    await call({ url, method: 'POST', headers });
    await call({ url, method: 'POST', headers, idempotency_key: 'from-argument' });
    expect(server.seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['from-header', 'from-argument']);
  });

  test('asks again when the server is busy for a moment, but sends nothing twice that could count twice', async () => {
    server.reply = (response) => response.writeHead(server.seen.length === 1 ? 503 : 200).end();
    expect(await call({ url })).toContain('HTTP status 200');
    expect(server.seen).toHaveLength(2);
    server.seen.length = 0;
    expect(await call({ url, method: 'POST' })).toContain('HTTP status 503');
    expect(server.seen).toHaveLength(1);
  });

  test.each([
    ['seconds', () => '60'],
    ['a date', () => new Date(Date.now() + 60_000).toUTCString()],
  ])('does not wait longer than it may for a server that is busy, which says so in %s', async (_form, retryAfter) => {
    server.reply = (response) => response.writeHead(429, { 'retry-after': retryAfter() }).end();
    expect(await call({ url })).toContain('HTTP status 429');
    expect(server.seen).toHaveLength(1);
  });
});
