import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { registerUser, type TestUser } from '../support/factories.ts';
import { sendRaw } from '../support/raw-http.ts';
import { serveTestApi } from '../support/serve-test-api.ts';

const served = serveTestApi();
let user: TestUser;
beforeAll(async () => {
  user = await registerUser(served.url);
});

/** What `curl --http2` and the HTTP client of Java add to each request. */
const HTTP2 = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAA';
const JSON_BODY = '{"name":"Offered"}';

const send = async (line: string, offer: string, body = '') => {
  const sized = body === '' ? '' : `\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  const head = `${line} HTTP/1.1\r\nAuthorization: Bearer ${user.accessToken}\r\n${offer}${sized}`;
  return sendRaw(served.url, { head, body });
};

describe('a request that offers to upgrade to another protocol is answered in HTTP/1.1 as if it had not', () => {
  test.each([
    ['GET /healthz', 200],
    ['GET /api/users/me', 200],
    ['GET /openapi.json', 200],
    ['HEAD /api/users/me', 200],
    ['GET /api/nothing', 404],
    ['DELETE /api/users/me', 405],
  ])('when it is %s', async (line, status) => {
    const plain = await send(line, 'Accept: */*');
    expect(plain.status).toBe(status);
    expect((await send(line, HTTP2)).status).toBe(status);
  });

  test.each([
    ['h2c', HTTP2],
    ['several protocols', 'Connection: Upgrade\r\nUpgrade: h2c, IRC/6.9, TLS/1.0'],
  ])('with its body, when it offers %s', async (_what, offer) => {
    const { status, text: answer } = await send('POST /api/agents', offer, JSON_BODY);
    expect(status).toBe(201);
    expect(answer).toContain('"name":"Offered"');
    const chunked = `${offer}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked`;
    const head = `POST /api/agents HTTP/1.1\r\nAuthorization: Bearer ${user.accessToken}\r\n${chunked}`;
    const size = JSON_BODY.length.toString(16);
    const sent = await sendRaw(served.url, { head, body: `${size}\r\n${JSON_BODY}\r\n0\r\n\r\n` });
    expect(sent.status).toBe(201);
  });

  test('over and over on one connection', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports = new Set<number | undefined>();
    for (let times = 0; times < 3; times += 1) {
      const offered = request(`${served.url}/healthz`, { agent, headers: { connection: 'Upgrade', upgrade: 'h2c' } });
      const [answer] = (await once(offered.end(), 'response')) as [IncomingMessage];
      ports.add(answer.socket.localPort);
      await text(answer);
      expect(answer.statusCode).toBe(200);
    }
    agent.destroy();
    expect(ports.size).toBe(1);
  });
});
