import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { ApiClient } from '../support/api-client.ts';
import { countAllUsage } from '../support/count-all-usage.ts';
import { createAgent, createChat, createProvider, registerUser } from '../support/factories.ts';
import { serveTestApi } from '../support/serve-test-api.ts';

const served = serveTestApi({
  orgLimits: 'agents=2,chats=3,providers=2,chains=2,groups=2,members=4,invites=2,api_keys=2,message_bytes=1MB',
});
const chain = { steps: [{ provider_type: 'openai' }] };
const count = async () => countAllUsage(served.api.database);

/** The status of each of so many creations, and what the last one says. */
async function make(client: ApiClient, path: string, bodies: readonly object[]) {
  const statuses: number[] = [];
  let detail: unknown;
  for (const body of bodies) {
    const { status, json } = await client.post<{ detail?: string }>(path, body);
    statuses.push(status);
    detail = json.detail;
  }
  return { statuses, detail };
}

describe('an organization has so many and no more', () => {
  test.each([
    ['agents', '/api/agents', (at: number) => ({ name: `Agent ${at}` })],
    ['provider chains', '/api/providers/chains', (at: number) => ({ name: `Chain ${at}`, ...chain })],
    ['permission groups', '/api/permissions/groups', (at: number) => ({ name: `Group ${at}` })],
    [
      'provider accounts',
      '/api/providers',
      (at: number) => ({ provider_type: 'openai', name: `Account ${at}`, credentials: { api_key: 'sk-1' } }),
    ],
  ])('%s', async (things, path, body) => {
    const [{ client }, other] = [await registerUser(served.url), await registerUser(served.url)];
    const { statuses, detail } = await make(client, path, [body(1), body(2), body(3)]);
    expect(statuses).toEqual([201, 201, 409]);
    expect(detail).toBe(`The organization has reached its limit of 2 ${things}; delete what is no longer needed`);
    expect((await make(other.client, path, [body(1)])).statuses).toEqual([201]);
  });

  test('invites', async () => {
    const { client, orgId } = await registerUser(served.url);
    const invites = [1, 2, 3].map(() => ({ role: 'member' }));
    const { statuses, detail } = await make(client, `/api/orgs/${orgId}/invites`, invites);
    expect(statuses).toEqual([201, 201, 409]);
    expect(detail).toContain('its limit of 2 open invites');
  });

  test('members, counting those who are invited', async () => {
    const { client, orgId } = await registerUser(served.url);
    const path = `/api/orgs/${orgId}/invites`;
    for (let joined = 0; joined < 2; joined += 1) {
      const { json } = await client.post<{ token: string }>(path, { role: 'member' });
      await registerUser(served.url, { invite_token: json.token });
    }
    const { statuses, detail } = await make(client, path, [{ role: 'member' }, { role: 'member' }]);
    expect(statuses).toEqual([201, 409]);
    expect(detail).toContain('its limit of 4 members, open invites included');
  });

  test('API keys of one user', async () => {
    const { client } = await registerUser(served.url);
    const keys = [1, 2, 3].map((at) => ({ name: `key ${at}` }));
    const { statuses, detail } = await make(client, '/api/users/me/api-keys', keys);
    expect([statuses, detail]).toEqual([[201, 201, 409], 'You have reached your limit of 2 API keys']);
  });

  test('agents that are deleted and made again and again', async () => {
    const { client } = await registerUser(served.url);
    const statuses: number[] = [];
    for (let at = 0; at < 21; at += 1) {
      const { status, json } = await client.post<{ id: string }>('/api/agents', { name: 'Agent' });
      statuses.push(status);
      if (status === 201) await client.delete(`/api/agents/${json.id}`);
    }
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 201), 409]);
  });

  test('agents that are restored', async () => {
    const { client } = await registerUser(served.url);
    const [first] = [await createAgent(client), await createAgent(client)];
    await client.delete(`/api/agents/${first}`);
    await createAgent(client);
    expect((await client.send('PATCH', `/api/agents/${first}/restore`)).status).toBe(409);
  });
});

test('the restore of an unknown provider account is answered with 404 when the organization has no room', async () => {
  const { client } = await registerUser(served.url);
  const ids = [
    await createProvider(client, 'https://models.example.com'),
    await createProvider(client, 'https://models.example.com'),
  ];
  expect((await client.patch(`/api/providers/${ids[0]}/restore`)).json).toMatchObject({
    detail: 'Provider is not deleted',
  });
  expect((await client.patch(`/api/providers/${randomUUID()}/restore`)).status).toBe(404);
});

const MADE_AT_ONCE = 20;

describe('simultaneous creations make exactly what fits', () => {
  const things = [
    ['agents', () => '/api/agents', (at: number) => ({ name: `Agent ${at}` })],
    ['provider chains', () => '/api/providers/chains', (at: number) => ({ name: `Chain ${at}`, ...chain })],
    ['permission groups', () => '/api/permissions/groups', (at: number) => ({ name: `Group ${at}` })],
    [
      'provider accounts',
      () => '/api/providers',
      (at: number) => ({ provider_type: 'openai', name: `Account ${at}`, credentials: { api_key: 'sk-1' } }),
    ],
    ['invites', (orgId: string) => `/api/orgs/${orgId}/invites`, () => ({ role: 'member' })],
    ['API keys', () => '/api/users/me/api-keys', (at: number) => ({ name: `key ${at}` })],
  ] as const;

  test.each(things)('%s', async (_things, path, body) => {
    const { client, orgId } = await registerUser(served.url);
    const made = await Promise.all(
      Array.from({ length: MADE_AT_ONCE }, async (_, at) => client.post(path(orgId), body(at))),
    );
    const statuses = made.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([201, 201, ...Array.from({ length: MADE_AT_ONCE - 2 }, () => 409)]);
  });

  test('restored agents, beside new ones', async () => {
    const { client } = await registerUser(served.url);
    const old: string[] = [];
    for (let at = 0; at < 8; at += 1) {
      const id = await createAgent(client);
      await client.delete(`/api/agents/${id}`);
      old.push(id);
    }
    const outcomes = await Promise.all([
      ...old.map(async (id) => client.send('PATCH', `/api/agents/${id}/restore`)),
      ...old.map(async () => client.post('/api/agents', { name: 'New' })),
    ]);
    expect(outcomes.filter(({ status }) => status < 300)).toHaveLength(2);
    expect((await client.get<unknown[]>('/api/agents')).json).toHaveLength(2);
  });
});

test('an API key that has expired takes no room', async () => {
  const { client, id: userId } = await registerUser(served.url);
  const keys = [1, 2].map((at) => ({ name: `key ${at}` }));
  await make(client, '/api/users/me/api-keys', keys);
  const one = { name: 'one more' };
  expect((await make(client, '/api/users/me/api-keys', [one])).statuses).toEqual([409]);
  await served.api.database.system.query(
    "update api_keys set expires_at = now() - interval '1 minute' where user_id = $1 and name = 'key 1'",
    [userId],
  );
  expect((await make(client, '/api/users/me/api-keys', [one, one])).statuses).toEqual([201, 409]);
});

describe('the chats of an organization', () => {
  test('are bounded soon after they were made, and make room at once when they are deleted', async () => {
    const { client } = await registerUser(served.url);
    const agentId = await createAgent(client);
    const chats = [
      await createChat(client, agentId),
      await createChat(client, agentId),
      await createChat(client, agentId),
    ];
    await count();
    const refused = await client.post<{ detail: string }>('/api/chats', { agent_id: agentId });
    expect([refused.status, refused.json.detail]).toEqual([409, expect.stringContaining('its limit of 3 chats')]);
    const unknown = await client.post('/api/chats', { agent_id: '00000000-0000-7000-8000-000000000000' });
    expect(unknown.status).toBe(404);
    await client.delete(`/api/chats/${chats[0]}`);
    await createChat(client, agentId);
    await count();
    const restore = async () => (await client.send('PATCH', `/api/chats/${chats[0]}/restore`)).status;
    expect(await restore()).toBe(409);
    await client.delete(`/api/chats/${chats[1]}`);
    expect(await restore()).toBe(200);
  });
});

describe('the messages of an organization', () => {
  test('are refused at the door when there are too many bytes of them; those that were taken in stay', async () => {
    const [user, other] = [await registerUser(served.url), await registerUser(served.url)];
    const { database } = served.api;
    const chatId = await createChat(user.client);
    const send = async (id: string) =>
      fetch(`${served.url}/api/chats/${chatId}/stream`, {
        method: 'POST',
        headers: { authorization: `Bearer ${user.accessToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ content: 'x'.repeat(199_000), client_message_id: id }),
      });
    for (let at = 0; at < 6; at += 1) {
      const answer = await send(`message ${at}`);
      expect(answer.status).toBe(200);
      await answer.body?.cancel();
    }
    await Promise.all([count(), count()]);
    await count();
    const { rows } = await database.system.query<{ bytes: number }>(
      'select message_bytes as bytes from org_usage where org_id = $1',
      [user.orgId],
    );
    expect(rows[0]?.bytes).toBeGreaterThanOrEqual(6 * 199_000);
    expect(rows[0]?.bytes).toBeLessThan(6 * 199_100);
    const refused = await send('one more');
    expect([refused.status, await refused.json()]).toEqual([
      409,
      { detail: 'The organization has reached its limit of 1 MB of messages' },
    ]);
    const repeated = await send('message 1');
    expect(repeated.status).toBe(200);
    await repeated.body?.cancel();
    expect(await createChat(other.client)).toBeDefined();
  });
});
