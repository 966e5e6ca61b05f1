import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { registerColleague } from '../../test/support/people.ts';
import type { ApiClient } from '../../test/support/api-client.ts';
import { createAgent, createChat, createProvider, registerUser, type TestUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { addDevice } from '../../test/support/invitations.ts';
import { waitUntil } from '../../test/support/wait-until.ts';

interface Entry {
  readonly id: string;
  readonly created_at: string;
  readonly actor_id: string;
  readonly actor_email: string | null;
  readonly session_id: string | null;
  readonly api_key_id: string | null;
  readonly ip: string;
  readonly action: string;
  readonly record_id: string | null;
  readonly record_name: string | null;
  readonly record_deleted: boolean | null;
  readonly fields: string[];
  readonly outcome: string;
  readonly status: number;
  readonly attempts: number;
}

// Its own: refusals of other files from this address would count towards the bound on single entries.
const served = serveTestApi({ isOwn: true });
let owner: TestUser;

beforeAll(async () => {
  owner = await registerUser(served.url);
});

async function read(client: ApiClient, query = ''): Promise<Entry[]> {
  const answer = await client.get<Entry[]>(`/api/audit?${query}`);
  expect(answer.status).toBe(200);
  return answer.json;
}

/** Returns the first entry that the query finds: a denial is stored some time after its response. */
async function find(client: ApiClient, query: string): Promise<Entry> {
  return waitUntil(`an entry for ${query}`, async () => (await read(client, query))[0]);
}

describe('an entry of the audit log', () => {
  test('says who did what to which record, when, from where and with which credential', async () => {
    const before = Date.now();
    const id = await createAgent(owner.client, { name: 'Ada', description: 'secret words' });
    const [entry] = await read(owner.client, `record_id=${id}`);
    expect(entry).toEqual({
      id: expect.any(String),
      created_at: expect.any(String),
      actor_id: owner.id,
      actor_email: owner.email,
      session_id: expect.any(String),
      api_key_id: null,
      ip: expect.stringContaining('127.0.0.1'),
      action: 'agents.create',
      record_type: 'agents',
      record_id: id,
      record_name: 'Ada',
      record_deleted: false,
      related_ids: [],
      fields: ['name', 'description'],
      outcome: 'success',
      status: 201,
      attempts: 1,
    });
    expect(Math.abs(Date.parse(entry?.created_at ?? '') - before)).toBeLessThan(60_000);
    expect(JSON.stringify(entry)).not.toContain('secret words');
  });

  test('says what its record is called, unless that is gone or belongs to one person', async () => {
    const nameOf = async (id: string) => (await read(owner.client, `record_id=${id}`))[0]?.record_name;
    const provider = await createProvider(owner.client, 'https://models.example.com/v1', { name: 'Models' });
    const colleague = await registerColleague(served.api, owner, 'member');
    await owner.client.patch(`/api/orgs/${owner.orgId}/members/${colleague.id}`, { role: 'viewer' });
    const key = await owner.client.post<{ id: string }>('/api/users/me/api-keys', { name: 'ci' });
    expect([await nameOf(provider), await nameOf(colleague.id)]).toEqual(['Models', colleague.email]);
    await owner.client.delete(`/api/orgs/${owner.orgId}/members/${colleague.id}`);
    expect([await nameOf(colleague.id), await nameOf(key.json.id)]).toEqual([null, null]);
  });

  test('says whether its record was deleted, by name while that is in the trash', async () => {
    const { client, orgId } = owner;
    const agent = await createAgent(client, { name: 'Old' });
    const group = await client.post<{ id: string }>('/api/permissions/groups', { name: 'Builders' });
    const recordOf = async (query: string) => {
      const [entry] = await read(client, query);
      return [entry?.record_name, entry?.record_deleted];
    };
    expect(await recordOf(`record_id=${agent}`)).toEqual(['Old', false]);
    await client.delete(`/api/agents/${agent}`);
    await client.delete(`/api/permissions/groups/${group.json.id}`);
    expect(await recordOf(`record_id=${agent}`)).toEqual(['Old', true]);
    expect(await recordOf(`record_id=${group.json.id}`)).toEqual([null, true]);
    await client.patch(`/api/orgs/${orgId}`, { name: 'Renamed' });
    expect(await recordOf(`record_id=${orgId}`)).toEqual([null, null]);
    const reader = await registerColleague(served.api, owner, 'viewer');
    expect((await read(reader.client, `record_id=${agent}`))[0]).toMatchObject({
      record_name: null,
      record_deleted: null,
    });
  });

  test('says what its record is about where that has no name of its own', async () => {
    const { client, orgId } = owner;
    const add = async (path: string, body: object) => {
      const { status, json } = await client.post<{ id: string }>(path, body);
      expect(status).toBe(201);
      return json.id;
    };
    const agentId = await createAgent(client, { name: 'Lead' });
    const project = await add('/api/projects', { name: 'Site' });
    const issue = await add('/api/issues', { project_id: project, title: 'It is slow' });
    const base = await add('/api/knowledge-bases', { name: 'Manuals' });
    const ids = [
      issue,
      await add(`/api/issues/${issue}/comments`, { content: 'Very' }),
      await add(`/api/knowledge-bases/${base}/documents`, { title: 'Pump', text: 'How it works' }),
      await add(`/api/agents/${agentId}/memories`, { type: 'fact', content: 'It rains' }),
      await add(`/api/orgs/${orgId}/invites`, { role: 'member', email: 'bob@example.com' }),
    ];
    const entries = await Promise.all(ids.map(async (id) => read(client, `record_id=${id}`)));
    expect(entries.map((found) => found.at(-1)?.record_name)).toEqual([
      'It is slow',
      'It is slow',
      'Pump',
      'Lead',
      'bob@example.com',
    ]);
  });

  test('shows administrators alone the name of its record, since others do not see every record', async () => {
    const colleague = await registerColleague(served.api, owner, 'member');
    const provider = await createProvider(colleague.client, 'https://models.example.com/v1', { name: 'Private' });
    const agent = await createAgent(owner.client, { name: 'Ada' });
    const reader = await registerColleague(served.api, owner, 'viewer');
    const namesFor = async ({ client }: TestUser) => {
      const entries = [...(await read(client, `record_id=${provider}`)), ...(await read(client, `record_id=${agent}`))];
      return entries.map(({ record_name: name }) => name);
    };
    expect(await namesFor(reader)).toEqual([null, null]);
    expect(await namesFor(await registerColleague(served.api, owner, 'admin'))).toEqual(['Private', 'Ada']);
    await served.api.database.system.query(
      'update provider_accounts set deleted_at = now(), is_tentative = true where id = $1',
      [provider],
    );
    expect(await namesFor(owner)).toEqual([null, 'Ada']);
  });

  test('names the API key that was used', async () => {
    const { json } = await owner.client.post<{ id: string; key: string }>('/api/users/me/api-keys', { name: 'ci' });
    const agentId = await createAgent(owner.client.as(json.key));
    const [entry] = await read(owner.client, `record_id=${agentId}`);
    expect(entry).toMatchObject({ api_key_id: json.id, session_id: null, actor_id: owner.id });
  });

  test('names the records beside the one that was changed', async () => {
    const agentId = await createAgent(owner.client);
    const memory = await owner.client.post<{ id: string }>(`/api/agents/${agentId}/memories`, { content: 'likes tea' });
    const [entry] = await read(owner.client, `record_id=${agentId}&record_type=memories`);
    expect(entry).toMatchObject({ action: 'memories.create', record_id: memory.json.id, related_ids: [agentId] });
  });

  test('says nothing of fields that are ignored', async () => {
    const id = await createProvider(owner.client, 'https://models.example.com/v1');
    const strangers = Array.from({ length: 3 }, () => randomUUID());
    const { status } = await owner.client.patch(`/api/providers/${id}`, { name: 'renamed', owner_id: strangers });
    expect(status).toBe(200);
    const [entry] = await read(owner.client, `record_id=${id}`);
    expect(entry).toMatchObject({ action: 'providers.update', fields: ['name'], related_ids: [] });
    expect(await read(owner.client, `record_id=${strangers[0]}`)).toEqual([]);
  });

  test('is made for no request that only reads or changes nothing', async () => {
    const count = async () => (await read(owner.client, 'limit=500')).length;
    const before = await count();
    await owner.client.get('/api/agents');
    await owner.client.post('/api/agents', { name: 7 });
    await createChat(owner.client, await createAgent(owner.client));
    expect(await count()).toBe(before + 1);
  });

  test('contains nothing of what was sent', async () => {
    const canary = 'sk-canary-8c1d2e';
    await createProvider(owner.client, 'https://models.example.com/v1', { credentials: { api_key: canary } });
    await owner.client.patch('/api/users/me', { password: `${canary}-next`, current_password: canary });
    const refused = await find(owner.client, 'action=users.update&outcome=denied');
    expect(refused).toMatchObject({ status: 403, fields: ['password', 'current_password'], record_id: owner.id });
    const { rows } = await served.api.database.system.query('select a::text as text from audit_log a');
    expect(JSON.stringify(rows)).not.toContain(canary);
  });
});

describe('the audit log of an organization', () => {
  test('records sign-ins, good ones and wrong ones, and passwords that were changed', async () => {
    const user = await registerUser(served.url);
    const { email, password, client } = user;
    const visitor = client.as(undefined);
    await visitor.post('/api/auth/login', { email, password: 'wrong' });
    await visitor.post('/api/auth/login', { email, password });
    await client.patch('/api/users/me', { password: 'another good password', current_password: password });
    const { json } = await visitor.post<{ access_token: string }>('/api/auth/login', {
      email,
      password: 'another good password',
    });
    const again = client.as(json.access_token);
    expect(await find(again, 'action=auth.login&outcome=denied')).toMatchObject({ status: 401, actor_id: user.id });
    const actions = (await read(again, 'outcome=success')).map(({ action }) => action);
    expect(actions).toEqual(['auth.login', 'users.update', 'auth.login', 'auth.register']);
  });

  test('records a refresh token that came after its successor was used', async () => {
    const user = await registerUser(served.url);
    const { email, password } = user;
    // A key that this session had made would end with it.
    const { json } = await user.client.post<{ access_token: string }>('/api/auth/login', { email, password });
    const refresh = async (refresh_token: string) =>
      (await user.client.post<{ refresh_token: string }>('/api/auth/refresh', { refresh_token })).json.refresh_token;
    await refresh(await refresh(user.refreshToken));
    await refresh(user.refreshToken);
    const entry = await find(user.client.as(json.access_token), 'action=auth.refresh');
    expect(entry).toMatchObject({ outcome: 'denied', status: 401, actor_id: user.id });
  });

  test('records tokens that are no longer valid, and whose they were', async () => {
    const user = await registerUser(served.url);
    const key = await user.client.post<{ id: string; key: string }>('/api/users/me/api-keys', { name: 'ci' });
    const byKey = user.client.as(key.json.key);
    await user.client.post('/api/auth/logout');
    expect((await user.client.delete('/api/agents/x')).status).toBe(401);
    expect(await find(byKey, 'action=agents.delete')).toMatchObject({ outcome: 'denied', actor_id: user.id });
    await user.client.as(`${key.json.key.slice(0, -4)}AAAA`).get('/api/agents');
    expect(await find(byKey, 'action=agents.view')).toMatchObject({ actor_id: user.id, api_key_id: key.json.id });
  });

  test('records keys that were revoked or have another value by now, and whose they were', async () => {
    const user = await registerUser(served.url);
    const keys = [];
    for (const name of ['revoked', 'rotated']) {
      const { json } = await user.client.post<{ id: string; key: string }>('/api/users/me/api-keys', { name });
      keys.push(json);
    }
    const [revoked, rotated] = keys;
    await user.client.delete(`/api/users/me/api-keys/${revoked?.id}`);
    await user.client.post(`/api/users/me/api-keys/${rotated?.id}/rotate`);
    await user.client.as(revoked?.key).get('/api/agents');
    expect(await find(user.client, 'action=agents.view')).toMatchObject({ actor_id: user.id, api_key_id: revoked?.id });
    await user.client.as(rotated?.key).get('/api/providers');
    expect(await find(user.client, 'action=providers.view')).toMatchObject({ status: 401, api_key_id: rotated?.id });
  });

  test('names what was made for a device that has redeemed an invite', async () => {
    const host = await registerUser(served.url);
    const device = await addDevice(host);
    const entry = await find(host.client, `actor_id=${device.user_id}`);
    expect(entry).toMatchObject({ action: 'auth.cli_redeem', record_id: device.user_id });
    const path = `/api/orgs/${host.orgId}/members/${device.user_id}/devices`;
    const { json } = await host.client.get<{ id: string }[]>(path);
    expect((await read(host.client, `record_id=${json[0]?.id}`)).map(({ id }) => id)).toEqual([entry.id]);
  });

  test('records what its members may not do', async () => {
    const viewer = await registerColleague(served.api, owner, 'viewer');
    const agentId = await createAgent(owner.client);
    await viewer.client.delete(`/api/agents/${agentId}`);
    const entry = await find(owner.client, `actor_id=${viewer.id}&outcome=denied`);
    expect(entry).toMatchObject({ action: 'agents.delete', record_id: agentId, status: 403 });
  });

  test("treats an unknown id and another organization's alike, and is only in the caller's own log", async () => {
    const stranger = await registerUser(served.url);
    const theirs = await createAgent(stranger.client);
    const unknown = randomUUID();
    for (const id of [theirs, unknown]) await owner.client.get(`/api/agents/${id}`);
    for (const id of [theirs, unknown]) {
      const entry = await find(owner.client, `record_id=${id}`);
      expect(entry).toMatchObject({ action: 'agents.view', outcome: 'denied', status: 404, actor_id: owner.id });
    }
    expect(await read(stranger.client, `actor_id=${owner.id}`)).toEqual([]);
  });

  test('records who of its members tried another organization, and nothing in the log of that one', async () => {
    const [user, stranger] = [await registerUser(served.url), await registerUser(served.url)];
    await user.client.get('/api/agents', { 'x-org-id': stranger.orgId });
    await user.client.patch(`/api/orgs/${stranger.orgId}`, { name: 'Mine' });
    expect(await find(user.client, 'action=agents.view')).toMatchObject({ outcome: 'denied', status: 404 });
    const entry = await find(user.client, 'action=orgs.update');
    expect(entry).toMatchObject({ outcome: 'denied', status: 404, record_id: stranger.orgId });
    expect(await read(stranger.client, `actor_id=${user.id}`)).toEqual([]);
  });

  test('records a socket to a chat that the caller may not see', async () => {
    const [user, stranger] = [await registerUser(served.url), await registerUser(served.url)];
    const chatId = await createChat(stranger.client);
    const socket = new WebSocket(`${served.url.replace('http', 'ws')}/ws/chat/${chatId}?token=${user.accessToken}`);
    await new Promise((resolve) => socket.addEventListener('close', resolve));
    const entry = await find(user.client, 'action=chats.view');
    expect(entry).toMatchObject({ outcome: 'denied', record_id: chatId, actor_id: user.id });
  });

  test('records a socket that somebody tries with a token that is no longer valid', async () => {
    const user = await registerUser(served.url);
    const { json } = await user.client.post<{ key: string }>('/api/users/me/api-keys', { name: 'ci' });
    const chatId = await createChat(user.client);
    await user.client.post('/api/auth/logout');
    const socket = new WebSocket(`${served.url.replace('http', 'ws')}/ws/chat/${chatId}?token=${user.accessToken}`);
    await new Promise((resolve) => socket.addEventListener('close', resolve));
    const entry = await find(user.client.as(json.key), 'action=chats.view');
    expect(entry).toMatchObject({ status: 401, record_id: chatId, actor_id: user.id });
  });

  test('is read by who may view the settings: by members and viewers unless a group keeps it from them', async () => {
    const statuses = [];
    for (const role of ['admin', 'member', 'viewer'] as const) {
      const colleague = await registerColleague(served.api, owner, role);
      statuses.push((await colleague.client.get('/api/audit')).status);
    }
    expect(statuses).toEqual([200, 200, 200]);
    const { json: group } = await owner.client.post<{ id: string }>('/api/permissions/groups', {
      name: 'Narrow',
      permissions: ['agents.view'],
    });
    const colleague = await registerColleague(served.api, owner, 'member');
    await owner.client.send('PUT', `/api/permissions/groups/${group.id}/members`, { user_ids: [colleague.id] });
    expect((await colleague.client.get('/api/audit')).status).toBe(403);
  });

  test('is not flooded: of a hundred refusals in a minute thirty have entries of their own', async () => {
    const viewer = await registerColleague(served.api, owner, 'viewer');
    for (let n = 0; n < 100; n += 1) await viewer.client.post('/api/agents', { name: 'A' });
    const query = `actor_id=${viewer.id}&limit=500`;
    const entries = await waitUntil('thirty entries', async () => {
      const found = await read(owner.client, query);
      return found.length >= 30 ? found : undefined;
    });
    expect(entries).toHaveLength(30);
  });
});

describe('GET /api/audit', () => {
  let reader: TestUser;
  let agents: string[];

  beforeAll(async () => {
    reader = await registerUser(served.url);
    agents = [];
    for (let n = 0; n < 5; n += 1) agents.push(await createAgent(reader.client));
    await reader.client.delete(`/api/agents/${agents[0]}`);
  });

  test('answers the newest first, page by page, and how many there are', async () => {
    const first = await reader.client.get<Entry[]>('/api/audit?limit=3');
    const second = await reader.client.get<Entry[]>('/api/audit?limit=3&offset=3');
    const actions = [...first.json, ...second.json].map(({ action, record_id }) => [action, record_id]);
    const made = agents.toReversed().map((id) => ['agents.create', id]);
    expect(actions).toEqual([['agents.delete', agents[0]], ...made]);
    expect(first.headers.get('x-total-count')).toBe('7');
  });

  test.each<[string, () => string, number]>([
    ['an actor', () => `actor_id=${reader.id}`, 7],
    ['another actor', () => `actor_id=${owner.id}`, 0],
    ['an action', () => 'action=agents.create', 5],
    ['a kind of record', () => 'record_type=agents', 6],
    ['a record', () => `record_id=${agents[0]}`, 2],
    ['a record and an action', () => `record_id=${agents[0]}&action=agents.delete`, 1],
    ['an outcome', () => 'outcome=failed', 0],
    ['a time after all', () => 'from=2100-01-01T00:00:00Z', 0],
    ['a time before all', () => 'to=2001-01-01T00:00:00%2B01:00', 0],
    ['a time around all', () => 'from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59Z', 7],
  ])('finds what fits %s', async (_what, query, count) => {
    expect(await read(reader.client, query())).toHaveLength(count);
  });

  test('distinguishes entries before a moment from those at it or later', async () => {
    const entries = await read(reader.client, '');
    const moment = entries[2]?.created_at ?? '';
    const later = await read(reader.client, `from=${moment}`);
    const earlier = await read(reader.client, `to=${moment}`);
    expect([...later, ...earlier]).toEqual(entries);
    expect(later.every(({ created_at }) => created_at >= moment)).toBe(true);
    expect(earlier.every(({ created_at }) => created_at < moment)).toBe(true);
  });

  test('answers 422 to names that no entry can have', async () => {
    for (const query of ['action=agents.fly', 'record_type=agent', 'outcome=none', 'from=yesterday', 'offset=10001']) {
      expect((await reader.client.get(`/api/audit?${query}`)).status).toBe(422);
    }
  });
});
