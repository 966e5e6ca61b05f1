import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { totalOfOwner } from '../../db/orgs/require-room.ts';
import { beginAttempt } from '../../db/turns/tasks/begin-attempt.ts';
import { countWorkUsage } from '../../db/work-usage.ts';
import { parseOrgLimits } from '../../domain/orgs.ts';
import { ApiClient } from '../support/api-client.ts';
import { countAllUsage } from '../support/count-all-usage.ts';
import { createAgent, createChat, createProvider, registerUser } from '../support/factories.ts';
import { join } from '../support/invitations.ts';
import { serveTestApi } from '../support/serve-test-api.ts';

const served = serveTestApi({
  orgLimits:
    'orgs=2,agents=2,chats=3,providers=2,chains=2,groups=2,members=4,invites=2,api_keys=2,message_bytes=1MB,work_bytes=200KB',
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
    expect(detail).toBe(
      `The owner of this organization has reached the limit of 2 ${things} in all their organizations; delete what is no longer needed, or ask the operator of the server to raise the limit`,
    );
    expect((await make(other.client, path, [body(1)])).statuses).toEqual([201]);
  });

  test('owner, who owns so many and no more, also when one is handed over', async () => {
    const owner = await registerUser(served.url);
    const { client, orgId } = owner;
    const { statuses, detail } = await make(client, '/api/orgs', [{ name: 'Two' }, { name: 'Three' }]);
    expect(statuses).toEqual([201, 409]);
    expect(detail).toBe(
      'You have reached your limit of 2 organizations; delete what is no longer needed, or ask the operator of the server to raise the limit',
    );
    const heir = await join(owner);
    expect((await make(heir.client, '/api/orgs', [{ name: 'Second of the heir' }])).statuses).toEqual([201]);
    const handOver = async () =>
      client.patch<{ detail?: string }>(`/api/orgs/${orgId}/members/${heir.id}`, { role: 'owner' });
    expect(await handOver()).toMatchObject({
      status: 409,
      json: { detail: expect.stringContaining('The member has reached their limit of 2 organizations') },
    });
    const { json: owned } = await heir.client.get<{ id: string; role: string }[]>('/api/orgs');
    await heir.client.delete(`/api/orgs/${owned.find(({ role }) => role === 'owner')?.id}`);
    expect((await handOver()).status).toBe(200);
  });

  test('invites', async () => {
    const { client, orgId } = await registerUser(served.url);
    const invites = [1, 2, 3].map(() => ({ role: 'member' }));
    const { statuses, detail } = await make(client, `/api/orgs/${orgId}/invites`, invites);
    expect(statuses).toEqual([201, 201, 409]);
    expect(detail).toContain('the limit of 2 open invites');
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
    expect(detail).toContain('the limit of 4 members, open invites included');
  });

  test('API keys of one user', async () => {
    const { client } = await registerUser(served.url);
    const keys = [1, 2, 3].map((at) => ({ name: `key ${at}` }));
    const { statuses, detail } = await make(client, '/api/users/me/api-keys', keys);
    expect([statuses, detail]).toEqual([
      [201, 201, 409],
      'You have reached your limit of 2 API keys; delete what is no longer needed, or ask the operator of the server to raise the limit',
    ]);
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

/** A user with two organizations, and a client for each of them. */
async function ownerOfTwo() {
  const { client, orgId } = await registerUser(served.url);
  const clientOf = async (org: string) => {
    await client.post(`/api/orgs/${org}/switch`);
    const { json } = await client.post<{ key: string }>('/api/users/me/api-keys', { name: 'key' });
    return new ApiClient(served.url, json.key);
  };
  const { json: second } = await client.post<{ id: string }>('/api/orgs', { name: 'Second' });
  const orgIds = [orgId, second.id] as const;
  return { client, orgIds, clients: [await clientOf(orgId), await clientOf(second.id)] as const };
}

describe('the organizations of one owner have so many together', () => {
  const things = [
    ['agents', '/api/agents', (at: number) => ({ name: `Agent ${at}` })],
    ['provider chains', '/api/providers/chains', (at: number) => ({ name: `Chain ${at}`, ...chain })],
    ['permission groups', '/api/permissions/groups', (at: number) => ({ name: `Group ${at}` })],
  ] as const;

  test.each(things)('%s, also of simultaneous creations', async (_things, path, body) => {
    const { clients } = await ownerOfTwo();
    const made = await Promise.all(
      Array.from({ length: MADE_AT_ONCE }, async (_, at) => clients[at % 2 === 0 ? 0 : 1].post(path, body(at))),
    );
    const statuses = made.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([201, 201, ...Array.from({ length: MADE_AT_ONCE - 2 }, () => 409)]);
  });

  test('invites and members', async () => {
    const { client, orgIds } = await ownerOfTwo();
    const invite = async (orgId: string) =>
      (await client.post(`/api/orgs/${orgId}/invites`, { role: 'member' })).status;
    expect([await invite(orgIds[0]), await invite(orgIds[1])]).toEqual([201, 201]);
    expect([await invite(orgIds[0]), await invite(orgIds[1])]).toEqual([409, 409]);
  });

  test('chats, of which those that are deleted in one make room in the other', async () => {
    const { clients } = await ownerOfTwo();
    const agents = [await createAgent(clients[0]), await createAgent(clients[1])] as const;
    const chats = [await createChat(clients[0], agents[0]), await createChat(clients[0], agents[0])];
    await createChat(clients[1], agents[1]);
    await count();
    const status = async () => (await clients[1].post('/api/chats', { agent_id: agents[1] })).status;
    expect(await status()).toBe(409);
    await clients[0].delete(`/api/chats/${chats[0]}`);
    expect(await status()).toBe(201);
  });

  test('bytes, of each kind', async () => {
    const { clients, orgIds } = await ownerOfTwo();
    const { database } = served.api;
    const chatId = await createChat(clients[0], await createAgent(clients[0]));
    const write = async (text: string, values: readonly unknown[]) => database.system.query(text, [...values]);
    await write('insert into org_usage (org_id, message_bytes, chats, chats_made) values ($1, 1, 2, 3)', [orgIds[0]]);
    await write('insert into work_usage (org_id, bytes) values ($1, 4)', [orgIds[0]]);
    await write('insert into work_usage_changes (org_id, bytes) values ($1, 6)', [orgIds[0]]);
    await write('insert into chat_file_usage (org_id, bytes) values ($1, 11)', [orgIds[0]]);
    await write('insert into workspace_usage (chat_id, org_id, bytes) values ($1, $2, 12)', [chatId, orgIds[0]]);
    await write(
      `insert into workspace_contents (id, chat_id, org_id, bytes, store) values (gen_random_uuid(), $1, $2, 13, '')`,
      [chatId, orgIds[0]],
    );
    await write(
      `insert into knowledge_bases (id, org_id, name, description, bytes) values (gen_random_uuid(), $1, 'Base', '', 14)`,
      [orgIds[0]],
    );
    const stranger = await registerUser(served.url);
    const sums = async (orgId: string) => {
      const kinds = ['message_bytes', 'chats', 'chats_made', 'work_bytes', 'upload_bytes', 'file_bytes'] as const;
      const more = ['replaced_file_bytes', 'knowledge_bytes', 'definition_bytes'] as const;
      const [row] = await database.tenant.query<{ counted: number[] }>(orgId, {
        text: `select array[${[...kinds, ...more].map((kind) => totalOfOwner('$1', kind)).join(', ')}]::int[] as counted,
          (select count(*) from orgs) as seen`,
        values: [orgId],
      });
      return row;
    };
    const counted = [1, 2, 3, 10, 11, 12, 13, 14, 0];
    expect(await sums(orgIds[1])).toEqual({ counted, seen: 1 });
    expect(await sums(orgIds[0])).toEqual({ counted, seen: 1 });
    expect(await sums(stranger.orgId)).toEqual({ counted: counted.map(() => 0), seen: 1 });
  });

  test('messages, which are refused in the one for what the other holds', async () => {
    const { clients, orgIds } = await ownerOfTwo();
    const chatId = await createChat(clients[1], await createAgent(clients[1]));
    await served.api.database.system.query(
      'insert into org_usage (org_id, message_bytes, chats, chats_made) values ($1, 2000000, 0, 0)',
      [orgIds[0]],
    );
    const { status, json } = await clients[1].post(`/api/chats/${chatId}/stream`, { content: 'Hello' });
    expect([status, json]).toEqual([409, { detail: expect.stringContaining('raise the limit') }]);
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
    expect([refused.status, refused.json.detail]).toEqual([409, expect.stringContaining('the limit of 3 chats')]);
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
  test('are refused by the api when there are too many bytes of them; those that were accepted stay', async () => {
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
      {
        detail:
          'The owner of this organization has reached the limit of 1 MB of messages in all their organizations; delete what is no longer needed, or ask the operator of the server to raise the limit',
      },
    ]);
    const repeated = await send('message 1');
    expect(repeated.status).toBe(200);
    await repeated.body?.cancel();
    expect(await createChat(other.client)).toBeDefined();
  });
});

test('a task whose organization has too many bytes of messages waits until it has room again', async () => {
  const { client, orgId } = await registerUser(served.url);
  const { database } = served.api;
  const store = async (bytes: number) =>
    database.system.query(
      `insert into org_usage (org_id, message_bytes, chats, chats_made) values ($1, $2, 0, 0)
        on conflict (org_id) do update set message_bytes = excluded.message_bytes`,
      [orgId, bytes],
    );
  const agentId = await createAgent(client);
  const { json: task } = await client.post<{ id: string }>('/api/tasks', {
    chat_id: await createChat(client, agentId),
    title: 'To do',
  });
  await store(2_000_000);
  const assigned = await client.patch(`/api/tasks/${task.id}`, { assigned_agent_id: agentId });
  expect([assigned.status, assigned.json]).toMatchObject([200, { status: 'pending', attempts: 0 }]);
  const limits = parseOrgLimits('message_bytes=1MB');
  expect(await beginAttempt(database, orgId, task.id, limits)).toBe(false);
  await store(0);
  expect(await beginAttempt(database, orgId, task.id, limits)).toBe(true);
});

describe('the issues, comments and tasks of an organization', () => {
  const text = 'x'.repeat(19_000);
  const full =
    'The owner of this organization has reached the limit of 200 KB of issues, comments, tasks and runs of workflows in all their organizations; delete what is no longer needed, or ask the operator of the server to raise the limit';

  test('are refused at every endpoint when there are too many bytes of them, which can then be made shorter and deleted', async () => {
    const { client } = await registerUser(served.url);
    const { json: project } = await client.post<{ id: string }>('/api/projects', { name: 'Launch' });
    const chatId = await createChat(client);
    const issue = { project_id: project.id, title: 'An issue', description: text };
    const { json: first } = await client.post<{ id: string }>('/api/issues', issue);
    const comments = `/api/issues/${first.id}/comments`;
    const task = { chat_id: chatId, title: 'A task', description: text };
    const { json: work } = await client.post<{ id: string }>('/api/tasks', task);
    for (let at = 0; at < 9; at += 1) expect((await client.post(comments, { content: text })).status).toBe(201);
    const longer = { description: `${text}, and more` };
    const refused = [
      await client.post('/api/issues', issue),
      await client.post(comments, { content: 'x' }),
      await client.post('/api/tasks', task),
      await client.patch(`/api/issues/${first.id}`, longer),
      await client.patch(`/api/tasks/${work.id}`, longer),
    ];
    expect(refused.map(({ status, json }) => [status, json])).toEqual(refused.map(() => [409, { detail: full }]));
    const shorter = { description: 'Short.' };
    expect((await client.patch(`/api/issues/${first.id}`, { ...shorter, status: 'todo' })).status).toBe(200);
    expect((await client.patch(`/api/tasks/${work.id}`, { ...shorter, status: 'completed' })).status).toBe(200);
    expect((await client.post('/api/tasks', { ...task, ...shorter })).status).toBe(201);
    for (let at = 0; at < 2; at += 1) await client.post(comments, { content: text });
    expect((await client.post(comments, { content: 'x' })).status).toBe(409);
    await countWorkUsage(served.api.database);
    expect((await client.post(comments, { content: 'x' })).status).toBe(409);
    expect((await client.delete(`/api/issues/${first.id}`)).status).toBe(204);
    expect((await client.post('/api/issues', issue)).status).toBe(201);
  });

  test('are counted alike, whether the changes were added up or not', async () => {
    const { client, orgId } = await registerUser(served.url);
    const chatId = await createChat(client);
    const counted = async () => {
      const { rows } = await served.api.database.system.query<{ known: number; counted: number }>(
        `select ${totalOfOwner('$1', 'work_bytes')}::int as known, (select coalesce(sum(bytes), 0)::int from tasks where org_id = $1) as counted`,
        [orgId],
      );
      return rows[0];
    };
    for (let at = 0; at < 5; at += 1) await client.post('/api/tasks', { chat_id: chatId, title: `Task ${at}` });
    const before = await counted();
    expect(before).toEqual({ known: before?.counted, counted: 5 * 606 });
    await Promise.all([countWorkUsage(served.api.database), countWorkUsage(served.api.database)]);
    expect(await counted()).toEqual(before);
    await served.api.database.system.query('delete from chats where id = $1', [chatId]);
    expect(await counted()).toEqual({ known: 0, counted: 0 });
  });
});

test('the runs of workflows are refused at every endpoint when the organization has too many bytes of work', async () => {
  const { client, orgId } = await registerUser(served.url);
  const fields = { name: 'Report', agent_id: await createAgent(client), prompt_template: 'Report.' };
  const { json: flow } = await client.post<{ id: string }>('/api/workflows', { ...fields, trigger_type: 'webhook' });
  const path = `/api/workflows/${flow.id}`;
  await client.post(`${path}/activate`, {});
  const webhook = async (key: string, text: string) =>
    client.post(`${path}/webhook`, { text }, { 'x-delivery-id': key });
  expect((await webhook('first', 'x'.repeat(210_000))).status).toBe(202);
  const { rows } = await served.api.database.system.query<{ known: number; counted: number }>(
    `select ${totalOfOwner('$1', 'work_bytes')}::int as known, (select sum(bytes)::int from workflow_runs where org_id = $1) as counted`,
    [orgId],
  );
  expect(rows[0]?.counted).toBeGreaterThan(211_000);
  expect(rows[0]?.known).toBe(rows[0]?.counted);
  const detail =
    'The owner of this organization has reached the limit of 200 KB of issues, comments, tasks and runs of workflows in all their organizations; delete what is no longer needed, or ask the operator of the server to raise the limit';
  const refused = [await webhook('second', 'x'), await client.post(`${path}/trigger`, { variables: {} })];
  expect(refused.map(({ status, json }) => [status, json])).toEqual(refused.map(() => [409, { detail }]));
  // What was accepted is answered again.
  expect((await webhook('first', 'x')).status).toBe(202);
  await served.api.database.system.query('delete from workflow_runs where workflow_id = $1', [flow.id]);
  expect((await webhook('second', 'x')).status).toBe(202);
});
