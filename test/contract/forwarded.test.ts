import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { registerUser, type TestUser } from '../support/factories.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import { waitUntil } from '../support/wait-until.ts';
import { sendRaw } from '../support/raw-http.ts';

const behindProxy = serveTestApi({ trustedProxies: '127.0.0.0/8' });
const direct = serveTestApi();
const CLIENT = '203.0.113.77';

/** What a user is refused when they ask for what is not there, once over HTTP and once for a socket. */
async function addressesOfRefusals(url: string, { client, accessToken }: TestUser, forwardedFor: string) {
  const header = `X-Forwarded-For: ${forwardedFor}`;
  await sendRaw(url, {
    head: `GET /api/agents/${randomUUID()} HTTP/1.1\r\nAuthorization: Bearer ${accessToken}\r\n${header}`,
  });
  await sendRaw(url, {
    head:
      `GET /ws/chat/${randomUUID()}?token=${accessToken} HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${header}`,
  });
  return waitUntil('both entries', async () => {
    const { json } = await client.get<{ action: string; ip: string }[]>('/api/audit?outcome=denied');
    return json.length === 2 ? new Map(json.map(({ action, ip }) => [action, ip])) : undefined;
  });
}

describe('the audit log', () => {
  test('names the client that a trusted proxy names, over HTTP and for a socket', async () => {
    const user = await registerUser(behindProxy.url);
    const found = await addressesOfRefusals(behindProxy.url, user, `6.6.6.6, ${CLIENT}, 127.0.0.9`);
    expect(found).toEqual(
      new Map([
        ['agents.view', CLIENT],
        ['chats.view', CLIENT],
      ]),
    );
  });

  test('names the proxy when that says nonsense', async () => {
    const user = await registerUser(behindProxy.url);
    const found = await addressesOfRefusals(behindProxy.url, user, `${CLIENT}, <b>`);
    expect(found).toEqual(
      new Map([
        ['agents.view', '127.0.0.1'],
        ['chats.view', '127.0.0.1'],
      ]),
    );
  });

  test('names the peer when nobody is trusted', async () => {
    const user = await registerUser(direct.url);
    const found = await addressesOfRefusals(direct.url, user, CLIENT);
    expect(found).toEqual(
      new Map([
        ['agents.view', '127.0.0.1'],
        ['chats.view', '127.0.0.1'],
      ]),
    );
  });
});
