import { beforeAll, describe, expect, test } from '@jest/globals';
import { createAgent, createChat, registerUser, type TestUser } from '../support/factories.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import { sendRaw } from '../support/raw-http.ts';
import { routesThat } from './route-list.ts';

const served = serveTestApi();
let user: TestUser;
let upgrade: string;
beforeAll(async () => {
  user = await registerUser(served.url);
  const chatId = await createChat(user.client, await createAgent(user.client));
  upgrade =
    `GET /ws/chat/${chatId}?token=${user.accessToken} HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
    'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
});

const get = (path: string) => `GET ${path} HTTP/1.1\r\nAuthorization: Bearer ${user.accessToken}`;
const ask = async (head: string, hosts: readonly string[]) => sendRaw(served.url, { head, hosts });
/** Asks for a socket, and takes the answer before the server would close. */
const statusOfUpgrade = async (hosts: readonly string[]) => (await ask(upgrade, hosts)).status;

describe('the api', () => {
  test.each(['everturn.example.com', 'EVERTURN.example.com.:443', 'localhost', 'a.localhost:1', '127.0.0.1', '[::1]'])(
    'answers to the name %s',
    async (host) => {
      expect((await ask(get('/api/users/me'), [host])).status).toBe(200);
    },
  );

  test.each(['attacker.example', 'everturn.example.com.attacker.example', 'localhost.attacker.example:3000'])(
    'answers 421 to the name %s, over HTTP and to upgrades',
    async (host) => {
      const answer = await ask(get('/api/users/me'), [host]);
      expect(answer.status).toBe(421);
      expect(answer.text).toContain('{"detail":"This server is not known as ');
      expect(answer.text).not.toContain(user.email);
      expect(await statusOfUpgrade([host])).toBe(421);
    },
  );

  test.each<[string, string[]]>([
    ['no Host', []],
    ['two', ['localhost', 'attacker.example']],
    ['two that are the same', ['localhost', 'localhost']],
    ['an empty one', ['']],
    ['a list', ['localhost, attacker.example']],
    ['a path behind it', ['localhost/x']],
    ['a user before it', ['attacker.example@localhost']],
  ])('answers 400 when there is %s, over HTTP and to upgrades', async (_what, hosts) => {
    const answer = await ask(get('/api/users/me'), hosts);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('{"detail":"');
    expect(await statusOfUpgrade(hosts)).toBe(400);
  });

  test('answers 400 to HTTP/1.0 without Host', async () => {
    expect((await ask('GET /healthz HTTP/1.0', [])).status).toBe(400);
  });

  test('goes by the host of a target in absolute form too', async () => {
    expect((await ask(get('http://attacker.example/api/users/me'), ['localhost'])).status).toBe(421);
    expect((await ask(get('http://localhost/api/users/me'), ['attacker.example'])).status).toBe(421);
    expect((await ask(get('http://everturn.example.com/api/users/me'), ['localhost'])).status).toBe(200);
  });

  test('goes by no name that a proxy or a page can put elsewhere', async () => {
    const lines =
      'X-Forwarded-Host: localhost\r\nForwarded: host=localhost\r\nX-Host: localhost\r\nOrigin: http://localhost';
    expect((await ask(`${get('/api/users/me')}\r\n${lines}`, ['attacker.example'])).status).toBe(421);
  });

  test('answers 421 at every address, and does nothing', async () => {
    const before = (await user.client.get<unknown[]>('/api/agents')).json.length;
    const paths = [
      '/',
      '/docs',
      '/openapi.json',
      '/metrics',
      '/nowhere',
      ...routesThat().map(({ route }) => route.path),
    ];
    for (const path of new Set(paths)) {
      const answer = await ask(get(path), ['attacker.example']);
      expect([path, answer.status]).toEqual([path, 421]);
      expect(answer.text.toLowerCase()).not.toContain('access-control-');
    }
    const head = get('/api/agents').replace('GET', 'POST');
    const body = '{"name":"A"}';
    const type = `Content-Type: application/json\r\nContent-Length: ${body.length}`;
    expect((await sendRaw(served.url, { head: `${head}\r\n${type}`, body, hosts: ['attacker.example'] })).status).toBe(
      421,
    );
    expect((await user.client.get<unknown[]>('/api/agents')).json).toHaveLength(before);
  });
});
