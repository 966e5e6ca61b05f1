import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createAgent, createChat, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { AuthorizationServer } from '../support/mcp/authorization-server.ts';
import { HostileMcpServer } from '../support/mcp/hostile-mcp-server.ts';
import { protect } from '../support/mcp/protect.ts';
import { registerColleague } from '../support/people.ts';
import { SocketClient } from '../support/socket-client.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';

type Fields = Record<string, unknown>;

let issuer: AuthorizationServer;
let resource: HostileMcpServer;
let instance: TestInstance;
let user: TestUser;
beforeAll(async () => {
  [issuer, resource] = [await AuthorizationServer.start(), await HostileMcpServer.start()];
  protect(resource, {
    issuer: () => issuer.issuer,
    takes: (authorization) => authorization === `Bearer ${issuer.token}`,
  });
  instance = await startTestInstance();
  user = await registerUser(instance.api.url);
  await createProvider(user.client, instance.model.url);
});
afterAll(async () => {
  await instance.close();
  issuer.close();
  resource.close();
});

async function addServer(): Promise<string> {
  const config = { oauth: { grant: 'authorization_code', scope: 'tools' } };
  const body = { name: 'Guarded', url: resource.url, auth_type: 'oauth', config };
  const { json } = await user.client.post<Fields>('/api/mcp-servers', body);
  return `/api/mcp-servers/${String(json['id'])}`;
}

/** Goes where the person is to go, and returns where they are sent back to. */
async function signIn(path: string): Promise<string> {
  const { status, json } = await user.client.post<{ auth_url: string }>(`${path}/oauth/start`);
  if (status !== 200) throw new Error(`the sign-in began with ${status}: ${JSON.stringify(json)}`);
  const answer = await fetch(json.auth_url, { redirect: 'manual' });
  return answer.headers.get('location') ?? '';
}

const finish = async (path: string, callbackUrl: string, client = user.client) =>
  client.post<Fields>(`${path}/oauth/finish`, { callback_url: callbackUrl });

test('a person signs in with PKCE and a client that was registered for it, and a token that ran out is renewed', async () => {
  const path = await addServer();
  expect((await user.client.post(`${path}/tools/fetch`)).status).toBe(502);
  const callbackUrl = await signIn(path);
  expect(callbackUrl).toMatch(/^https:\/\/everturn\.example\.com\/mcp-sign-in\?code=.+&state=.{43}$/);
  const finished = await finish(path, callbackUrl);
  expect([finished.status, finished.json]).toMatchObject([200, { signed_in_at: expect.any(String) }]);
  expect(issuer.at('/register')).toHaveLength(1);
  expect((await user.client.post(`${path}/tools/fetch`)).json).toMatchObject([{ name: 'act' }]);

  const id = path.split('/').at(-1);
  const agentId = await createAgent(user.client, { tools: ['mcp'], mcps: [{ id }] });
  const socket = await SocketClient.connect(instance.api.url, await createChat(user.client, agentId), user.accessToken);
  const given = issuer.tokenCount;
  // As if it had run out: the server takes the next one only.
  issuer.token = 'none at present';
  const calls = Array.from({ length: 5 }, (_, index) => `[[tool mcp__Guarded__act {"n": ${index}}]]`).join(' ');
  socket.send({ type: 'message', content: `${calls} [[then]] [[say renewed]]`, client_message_id: 'a' });
  const end = await socket.waitForEnd();
  socket.close();
  const details = (end['metadata'] as { tool_calls_detail: { status: string }[] }).tool_calls_detail;
  expect(details.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'success'));
  expect(issuer.tokenCount).toBe(given + 1);

  const { rows } = await instance.api.database.system.query<{ row: string }>(
    "select t::text || encode(granted, 'escape') as row from mcp_servers t where id = $1",
    [id],
  );
  expect(rows[0]?.row).not.toMatch(/token-|refresh-/);
  const shown = JSON.stringify((await user.client.get(path)).json);
  expect(shown).not.toMatch(/token-|refresh-/);
});

test('a sign-in is finished once, by the person who began it, at the server that it was begun for', async () => {
  const [path, other] = [await addServer(), await addServer()];
  const colleague = await registerColleague(instance.api, user, 'admin');
  const callbackUrl = await signIn(path);
  const forged = callbackUrl.replace(/state=.*$/, `state=${'x'.repeat(43)}`);
  const refused = [
    await finish(path, callbackUrl, colleague.client),
    await finish(other, callbackUrl),
    await finish(path, forged),
    await finish(path, 'https://everturn.example.com/mcp-sign-in'),
    await finish(path, 'https://everturn.example.com/mcp-sign-in?error=access_denied'),
  ];
  expect(refused.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422]);
  expect((await finish(path, callbackUrl)).status).toBe(200);
  expect((await finish(path, callbackUrl)).status).toBe(422);
});

test('a sign-in is worth nothing once the server leads elsewhere', async () => {
  const path = await addServer();
  const callbackUrl = await signIn(path);
  await user.client.patch(path, { url: `${resource.url}?other` });
  expect((await finish(path, callbackUrl)).status).toBe(502);
  expect((await user.client.get<Fields>(path)).json['signed_in_at']).toBeNull();
});
