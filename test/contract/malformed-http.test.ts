import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { registerUser, type TestUser } from '../support/factories.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import { sendRaw } from '../support/raw-http.ts';

const served = serveTestApi();
let user: TestUser;
let auth: string;
beforeAll(async () => {
  user = await registerUser(served.url);
  auth = `Authorization: Bearer ${user.accessToken}`;
});

const JSON_TYPE = 'Content-Type: application/json';
const AGENT = '{"name":"A"}';
const names = async () => (await user.client.get<{ name: string }[]>('/api/agents')).json.map(({ name }) => name);

describe('the api', () => {
  test('answers 401 when two Authorization headers come, in either order', async () => {
    for (const lines of [
      `${auth}\r\nAuthorization: Bearer x`,
      `Authorization: Bearer x\r\n${auth}`,
      `${auth}\r\n${auth}`,
    ]) {
      const answer = await sendRaw(served.url, { head: `GET /api/users/me HTTP/1.1\r\n${lines}` });
      expect(answer.status).toBe(401);
    }
  });

  test.each([
    ['bearer', 200],
    ['BEARER', 200],
    ['Bearer ', 401],
    ['Bearer\t', 401],
    ['Basic', 401],
    ['Bearer,', 401],
  ])('reads the scheme "%s" and answers %d', async (scheme, status) => {
    const answer = await sendRaw(served.url, {
      head: `GET /api/users/me HTTP/1.1\r\nAuthorization: ${scheme} ${user.accessToken}`,
    });
    expect(answer.status).toBe(status);
  });

  test('answers requests of one connection in their order, and breaks it off when too many wait', async () => {
    const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${auth}\r\n\r\n`;
    const two = await sendRaw(served.url, { head: `${ask('/api/agents')}GET /api/users/me HTTP/1.1\r\n${auth}` });
    expect(two.text.indexOf('[')).toBeLessThan(two.text.indexOf(user.email));
    expect(two.status).toBe(200);
    const head = ask('/api/providers/catalog').repeat(200);
    const many = await sendRaw(served.url, { head: `${head}GET /api/users/me HTTP/1.1\r\n${auth}` });
    expect(many.text).not.toContain(user.email);
    expect((await user.client.get('/api/users/me')).status).toBe(200);
  });

  test('answers HEAD like GET, without a body', async () => {
    const answer = await sendRaw(served.url, { head: `HEAD /api/users/me HTTP/1.1\r\n${auth}` });
    expect(answer.status).toBe(200);
    expect(answer.text.endsWith('\r\n\r\n')).toBe(true);
    expect((await sendRaw(served.url, { head: 'HEAD /api/users/me HTTP/1.1' })).status).toBe(401);
  });

  test('lists the methods of an address when asked with OPTIONS, and allows no other origin', async () => {
    const answer = await sendRaw(served.url, {
      head: 'OPTIONS /api/agents HTTP/1.1\r\nOrigin: https://evil.example\r\nAccess-Control-Request-Method: POST',
    });
    expect(answer.status).toBeLessThan(500);
    expect(answer.text.toLowerCase()).toContain('allow: ');
    expect(answer.text.toLowerCase()).not.toContain('access-control-allow-origin');
  });

  test('answers 431 when the URL is longer than 16 KB, and 404 to a shorter one that nothing has', async () => {
    const statusOf = async (length: number) =>
      (await sendRaw(served.url, { head: `GET /api/${'a'.repeat(length)} HTTP/1.1\r\n${auth}` })).status;
    expect([await statusOf(17_000), await statusOf(10_000)]).toEqual([431, 404]);
  });

  test('answers 431 when the headers are too long', async () => {
    const head = `GET /api/users/me HTTP/1.1\r\nAuthorization: Bearer ${'a'.repeat(17_000)}`;
    expect((await sendRaw(served.url, { head })).status).toBe(431);
  });

  test.each([
    ['lengths that differ', 'Content-Length: 12\r\nContent-Length: 13'],
    ['a length and chunks', 'Content-Length: 12\r\nTransfer-Encoding: chunked'],
    ['a length that is no number', 'Content-Length: twelve'],
    ['a negative length', 'Content-Length: -12'],
    ['an unknown coding after chunks', 'Transfer-Encoding: chunked, x'],
    ['a header folded over two lines', 'X-Folded: a\r\n b'],
    ['a blank before the colon', 'Content-Length : 12'],
    ['NUL in a header', 'X-Nul: a\u0000b'],
  ])('answers 400 to %s, and does nothing', async (_what, line) => {
    const before = await names();
    const head = `POST /api/agents HTTP/1.1\r\n${auth}\r\n${JSON_TYPE}\r\n${line}`;
    const answer = await sendRaw(served.url, { head, body: AGENT });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('{"detail":"');
    expect(await names()).toEqual(before);
  });

  test('takes a body in chunks, and one that is announced with Expect: 100-continue', async () => {
    const head = `POST /api/agents HTTP/1.1\r\n${auth}\r\n${JSON_TYPE}`;
    const chunked = { head: `${head}\r\nTransfer-Encoding: chunked`, body: `6\r\n{"name\r\n6\r\n":"B"}\r\n0\r\n\r\n` };
    expect((await sendRaw(served.url, chunked)).status).toBe(201);
    const expected = { head: `${head}\r\nContent-Length: 12\r\nExpect: 100-continue`, body: AGENT };
    const answer = await sendRaw(served.url, expected);
    expect(answer.text).toContain('100 Continue');
    expect(answer.status).toBe(201);
  });

  test('answers 417 to another expectation, in the form of the path', async () => {
    for (const [path, form] of [
      ['/api/agents', '{"detail":"Of the expectations'],
      ['/v1/chat/completions?x=1', '{"error":{"message":"Of the expectations'],
    ]) {
      const head = `POST ${path} HTTP/1.1\r\n${auth}\r\n${JSON_TYPE}\r\nExpect: a-miracle\r\nContent-Length: 2`;
      const answer = await sendRaw(served.url, { head, body: '{}' });
      expect([answer.status, answer.text]).toEqual([417, expect.stringContaining(form ?? '')]);
    }
  });

  test('answers 413 to 10 MB, whether the length is declared or they come in chunks', async () => {
    const head = `POST /api/agents HTTP/1.1\r\n${auth}\r\n${JSON_TYPE}`;
    const large = JSON.stringify({ name: 'x'.repeat(10_000_000) });
    const answer = await sendRaw(served.url, { head: `${head}\r\nContent-Length: ${large.length}`, body: large });
    expect(answer.status).toBe(413);
    const chunks = `${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`;
    const chunked = await sendRaw(served.url, { head: `${head}\r\nTransfer-Encoding: chunked`, body: chunks });
    expect(chunked.status).toBe(413);
  });

  test('answers 413 to a body that is small until it is inflated', async () => {
    const bomb = gzipSync(Buffer.alloc(200_000_000, ' '));
    const before = process.memoryUsage().arrayBuffers;
    const answer = await sendRaw(served.url, {
      head: `POST /api/agents HTTP/1.1\r\n${auth}\r\n${JSON_TYPE}\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}`,
      body: bomb,
    });
    expect(answer.status).toBe(413);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50_000_000);
  });

  test('answers 422 to a coding that is not what it says', async () => {
    const head = `POST /api/agents HTTP/1.1\r\n${auth}\r\n${JSON_TYPE}\r\nContent-Encoding: gzip\r\nContent-Length: 12`;
    expect((await sendRaw(served.url, { head, body: AGENT })).status).toBe(422);
  });

  test('reads nothing of the body of a stranger', async () => {
    const head = `POST /api/agents HTTP/1.1\r\n${JSON_TYPE}\r\nContent-Length: 1000000`;
    expect((await sendRaw(served.url, { head, body: '{' })).status).toBe(401);
  });

  test('sends the headers that keep a browser from doing harm, on failures too', async () => {
    for (const path of ['/api/users/me', '/api/nothing', '/healthz']) {
      const { headers } = await fetch(served.url + path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('x-frame-options')).not.toBeNull();
      expect(headers.get('x-powered-by')).toBeNull();
    }
  });
});
