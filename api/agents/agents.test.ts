import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { builtinAgents } from '../../builtin/index.ts';
import type { ApiClient } from '../../test/support/api-client.ts';
import { createAgent, createChat, registerUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

type Fields = Record<string, unknown>;

const served = serveTestApi();
const signIn = async () => (await registerUser(served.url)).client;
const create = async (client: ApiClient, fields: Fields) => client.post<Fields>('/api/agents', fields);
const [template] = builtinAgents;
const templatePath = `/api/agents/${template?.id ?? ''}`;

const EVERY_FIELD = {
  name: 'Reviewer',
  description: 'Reads changes',
  agent_type: 'devops',
  system_prompt: 'You review.\n\u{1F600}',
  soul: { tone: 'dry', nested: { list: [1, null, 'x'] } },
  tools: ['git', 'mcp'],
  skills: ['bash'],
  model_pref: 'gpt-x',
  temperature: 0,
  max_tokens: 100,
  max_subagents: 0,
  max_concurrency: 1,
  mcps: [
    {
      name: 'Docs',
      description: null,
      url: 'https://mcp.example.com/v1',
      config: { timeout: 30, on: true },
      auth_type: 'none',
    },
  ],
  is_active: false,
  provider_chain_id: null,
  persona_id: null,
};

describe('POST /api/agents', () => {
  test("takes the specification's defaults when only a name is given", async () => {
    const answer = await create(await signIn(), { name: 'A' });
    expect(answer.status).toBe(201);
    expect(answer.json).toMatchObject({
      name: 'A',
      description: '',
      agent_type: 'custom',
      system_prompt: '',
      soul: {},
      tools: [],
      skills: [],
      model_pref: null,
      temperature: 0.3,
      max_tokens: 8192,
      max_subagents: 5,
      max_concurrency: 2,
      mcps: [],
      is_active: true,
      provider_chain_id: null,
      persona_id: null,
    });
    expect(answer.json['id']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  });

  test('answers every field as it was given, and shows the same afterwards', async () => {
    const client = await signIn();
    const { json } = await create(client, EVERY_FIELD);
    expect(json).toMatchObject(EVERY_FIELD);
    expect((await client.get(`/api/agents/${String(json['id'])}`)).json).toEqual(json);
  });

  test.each([0, 0.3, 1.999, 2, -0])('takes the temperature %d', async (temperature) => {
    const answer = await create(await signIn(), { name: 'A', temperature });
    expect([answer.status, answer.json['temperature']]).toEqual([201, Math.abs(temperature)]);
  });

  test.each([-0.001, 2.001])('refuses the temperature %d', async (temperature) => {
    expect((await create(await signIn(), { name: 'A', temperature })).status).toBe(422);
  });

  test.each(['architect', 'assistant', 'coordinator', 'custom', 'devops', 'project_manager'])(
    'takes the type %s',
    async (type) => {
      expect((await create(await signIn(), { name: 'A', agent_type: type })).json['agent_type']).toBe(type);
    },
  );

  test('takes the last of the values when a key is given twice', async () => {
    const { json, status } = await (await signIn()).post<Fields>('/api/agents', '{"name":"first","name":"last"}');
    expect([status, json['name']]).toEqual([201, 'last']);
  });

  test('takes a body that begins with a byte order mark', async () => {
    expect((await (await signIn()).post('/api/agents', '\uFEFF{"name":"A"}')).status).toBe(201);
  });

  test('refuses a name of blanks only, and takes off blanks around one', async () => {
    const client = await signIn();
    expect((await create(client, { name: ' \t\n ' })).status).toBe(422);
    expect((await create(client, { name: '  A  ' })).json['name']).toBe('A');
  });
});

describe('the MCP servers of an agent', () => {
  const ADDRESS = 'https://mcp.example.com/v1';

  test.each([
    [[]],
    [[{}]],
    [[{ name: 'Docs', url: ADDRESS }]],
    [[{ url: ADDRESS, auth_type: 'none', auth_value: null, config: {} }, { url: 'http://mcp.example.com' }]],
  ])('are taken as they are when they are addresses: %j', async (mcps) => {
    const client = await signIn();
    const created = await create(client, { name: 'A', mcps });
    expect([created.status, created.json['mcps']]).toEqual([201, mcps]);
    const path = `/api/agents/${await createAgent(client)}`;
    expect((await client.patch<Fields>(path, { mcps })).json['mcps']).toEqual(mcps);
  });

  test.each([
    [{ command: 'sh' }, 'command'],
    [{ name: 'Docs', url: ADDRESS, env: { PATH: '/tmp' } }, 'env'],
    [{ url: ADDRESS, args: ['--install'] }, 'args'],
    [{ url: ADDRESS, type: 'stdio' }, 'type'],
    [{ url: ADDRESS, headers: { authorization: 'Bearer x' } }, 'headers'],
    [{ url: ADDRESS, auth_type: 'bearer', auth_value: 'secret' }, 'auth_value'],
    [{ url: ADDRESS, config: { command: 'sh' } }, 'config'],
    [{ url: ADDRESS, config: { env: { PATH: '/tmp' } } }, 'config'],
    [{ url: 'http://127.0.0.1:8080' }, 'url'],
    [{ url: 'http://169.254.169.254/latest' }, 'url'],
    [{ url: 'http://[::1]/' }, 'url'],
    [{ url: 'https://user:pass@mcp.example.com' }, 'url'],
    [{ url: 'file:///bin/sh' }, 'url'],
    [{ url: 'stdio:sh' }, 'url'],
    [{ url: ['sh'] }, 'url'],
    [{ id: 'a' }, 'id'],
  ])('are refused, and nothing is stored, when they name something else: %j', async (server, field) => {
    const client = await signIn();
    const path = `/api/agents/${await createAgent(client)}`;
    const mcps = [{ url: ADDRESS }, server];
    for (const answer of [await create(client, { name: 'A', mcps }), await client.patch(path, { mcps })]) {
      expect(answer.status).toBe(422);
      const { detail } = answer.json as { detail: { loc: unknown[] }[] };
      expect(detail.map(({ loc }) => loc.slice(0, 4))).toEqual([['body', 'mcps', 1, field]]);
    }
    expect((await client.get<Fields>(path)).json['mcps']).toEqual([]);
    expect((await client.get<Fields[]>('/api/agents')).json).toHaveLength(1);
  });
});

describe('PATCH /api/agents/{agent_id}', () => {
  test('changes the given fields only', async () => {
    const client = await signIn();
    const { json: before } = await create(client, EVERY_FIELD);
    const path = `/api/agents/${String(before['id'])}`;
    const answer = await client.patch<Fields>(path, { temperature: 1.5, model_pref: null });
    const expected = { ...before, temperature: 1.5, model_pref: null, updated_at: answer.json['updated_at'] };
    expect([answer.status, answer.json]).toEqual([200, expected]);
    expect(String(answer.json['updated_at']) > String(before['updated_at'])).toBe(true);
    expect((await client.get(path)).json).toEqual(expected);
  });

  test('changes nothing when nothing is given', async () => {
    const client = await signIn();
    const { json } = await create(client, EVERY_FIELD);
    const answer = await client.patch(`/api/agents/${String(json['id'])}`, {});
    expect([answer.status, answer.json]).toEqual([200, json]);
  });

  test('replaces objects and arrays whole', async () => {
    const client = await signIn();
    const { json } = await create(client, EVERY_FIELD);
    const changes = { soul: { tone: 'warm' }, tools: ['shell_run'], mcps: [] };
    const answer = await client.patch(`/api/agents/${String(json['id'])}`, changes);
    expect(answer.json).toMatchObject(changes);
    expect((answer.json as { soul: object }).soul).toEqual({ tone: 'warm' });
  });
});

describe('the tools of an agent', () => {
  const unknown = (index: number) => ({
    detail: [{ type: 'custom', loc: ['body', 'tools', index], msg: 'There is no tool "nonsense"' }],
  });

  test('are those of the catalog: others are refused when an agent is created or changed', async () => {
    const client = await signIn();
    const created = await create(client, { name: 'A', tools: ['time_now', 'nonsense'] });
    expect([created.status, created.json]).toEqual([422, unknown(1)]);
    const id = await createAgent(client, { tools: ['shell_run', 'agent_spawn', 'mcp'] });
    const changed = await client.patch(`/api/agents/${id}`, { tools: ['nonsense'] });
    expect([changed.status, changed.json]).toEqual([422, unknown(0)]);
    expect((await client.get<Fields>(`/api/agents/${id}`)).json['tools']).toEqual(['shell_run', 'agent_spawn', 'mcp']);
  });

  test('of which it says when calls wait exist, or are named by it already', async () => {
    const client = await signIn();
    const issue = { type: 'custom', loc: ['body', 'requires_approval', 'nope'], msg: 'There is no tool "nope"' };
    const created = await create(client, { name: 'A', requires_approval: { nope: 'always' } });
    expect([created.status, created.json]).toEqual([422, { detail: [issue] }]);
    const modes = { '*': 'writes', mcp: 'always', mcp__docs__find: 'never', time_now: 'always' };
    const id = await createAgent(client, { requires_approval: modes });
    const change = async (wanted: Fields) => client.patch(`/api/agents/${id}`, { requires_approval: wanted });
    expect((await change({ ...modes, nope: 'never' })).status).toBe(422);
    await served.api.database.system.query('update agents set requires_approval = $2 where id = $1', [
      id,
      { gone: 'always' },
    ]);
    expect((await change({ gone: 'never', time_now: 'writes' })).status).toBe(200);
    const clone = { name: 'B', tools: [], requires_approval: { gone: 'never' }, missing: { tools: ['gone'] } };
    expect((await create(client, clone)).json['requires_approval']).toEqual({});
  });

  test('are as known as its skills', async () => {
    const client = await signIn();
    const none = { type: 'custom', loc: ['body', 'skills', 1], msg: 'There is no skill "nonsense"' };
    const skills = ['summarize', 'nonsense'];
    const created = await create(client, { name: 'A', skills });
    expect([created.status, created.json]).toEqual([422, { detail: [none] }]);
    const id = await createAgent(client, { skills: ['summarize', 'agent_spawn'] });
    const changed = await client.patch(`/api/agents/${id}`, { skills });
    expect([changed.status, changed.json]).toEqual([422, { detail: [none] }]);
  });

  test('stay as they were stored, whatever they are, when others are added or other fields change', async () => {
    const client = await signIn();
    const id = await createAgent(client);
    await served.api.database.system.query('update agents set tools = \'["old_tool"]\' where id = $1', [id]);
    const path = `/api/agents/${id}`;
    expect(await client.patch(path, { name: 'B' })).toMatchObject({ status: 200, json: { tools: ['old_tool'] } });
    const tools = ['time_now', 'old_tool'];
    expect(await client.patch(path, { tools })).toMatchObject({ status: 200, json: { tools } });
    expect(await client.patch(path, { tools: ['time_now'] })).toMatchObject({ status: 200 });
    expect(await client.patch(path, { tools })).toMatchObject({ status: 422 });
  });
});

describe('GET /api/agents', () => {
  test('lists the agents of the organization, oldest first, with the fields of a list item', async () => {
    const client = await signIn();
    const ids = [await createAgent(client), await createAgent(client), await createAgent(client)];
    const answer = await client.get<Fields[]>('/api/agents');
    expect(answer.json.map(({ id }) => id)).toEqual(ids);
    expect(answer.headers.get('x-total-count')).toBe('3');
    const fields = [
      'agent_type',
      'created_at',
      'deleted_at',
      'deleted_by',
      'description',
      'id',
      'is_active',
      'is_published',
      'name',
      'skills',
      'tools',
      'updated_at',
    ];
    expect(Object.keys(answer.json[0] ?? {}).toSorted()).toEqual(fields);
  });

  test('answers a page and the number of all when limit and offset are given', async () => {
    const client = await signIn();
    const ids = [await createAgent(client), await createAgent(client), await createAgent(client)];
    const page = async (query: string) => {
      const { json, headers } = await client.get<Fields[]>(`/api/agents?${query}`);
      return [json.map(({ id }) => id), headers.get('x-total-count')];
    };
    expect(await page('limit=1&offset=1')).toEqual([[ids[1]], '3']);
    expect(await page('offset=2')).toEqual([[ids[2]], '3']);
    expect(await page('limit=2')).toEqual([ids.slice(0, 2), '3']);
    expect(await page('offset=9')).toEqual([[], '3']);
  });
});

describe('GET /api/agents, narrowed', () => {
  const idsOf = async (client: ApiClient, query: string) =>
    (await client.get<Fields[]>(`/api/agents?${query}`)).json.map(({ id }) => id);
  const added = async (client: ApiClient, path: string, fields: Fields) =>
    String((await client.post<Fields>(path, fields)).json['id']);

  test('finds words in name or description, in whatever letters and as they are written', async () => {
    const client = await signIn();
    const byName = await createAgent(client, { name: 'Bookkeeper 100%' });
    const byDescription = await createAgent(client, { name: 'B', description: 'Helps the BOOKKEEPER' });
    await createAgent(client, { name: 'Cook' });
    expect(await idsOf(client, 'q=bookkeeper')).toEqual([byName, byDescription]);
    expect(await idsOf(client, 'q=100%25')).toEqual([byName]);
    expect(await idsOf(client, 'q=bookkeeper&offset=1')).toEqual([byDescription]);
  });

  test('contains those that use a chain, a profile, an MCP server or a knowledge base, and no others', async () => {
    const [client, stranger] = [await signIn(), await signIn()];
    const steps = [{ provider_type: 'openai' }];
    const chain = await added(client, '/api/providers/chains', { name: 'Main', steps });
    const model = { provider_type: 'openai', model_name: 'large' };
    const profile = await added(client, '/api/model-profiles', { name: 'Careful', ...model });
    const server = await added(client, '/api/mcp-servers', { name: 'Docs', url: 'https://mcp.example.com/docs' });
    const base = await added(client, '/api/knowledge-bases', { name: 'Manuals' });
    await createAgent(client);
    const users = {
      provider_chain_id: [chain, await createAgent(client, { provider_chain_id: chain })],
      model_profile_id: [profile, await createAgent(client, { model_pref: 'profile: careful' })],
      mcp_server_id: [server, await createAgent(client, { mcps: [{ server_id: server }] })],
      knowledge_base_id: [base, await createAgent(client, { knowledge_base_ids: [base] })],
    };
    for (const [filter, [id, agentId]] of Object.entries(users)) {
      expect([filter, await idsOf(client, `${filter}=${id}`)]).toEqual([filter, [agentId]]);
      expect(await idsOf(client, `${filter}=${randomUUID()}`)).toEqual([]);
      expect(await idsOf(stranger, `${filter}=${id}`)).toEqual([]);
    }
  });
});

describe('DELETE /api/agents/{agent_id}', () => {
  test('hides the agent until it is restored as it was', async () => {
    const client = await signIn();
    const { json } = await create(client, EVERY_FIELD);
    const path = `/api/agents/${String(json['id'])}`;
    expect((await client.delete(path)).status).toBe(204);
    expect((await client.get('/api/agents')).json).toEqual([]);
    expect((await client.delete(path)).status).toBe(404);
    const restored = await client.patch<Fields>(`${path}/restore`);
    expect([restored.status, restored.json]).toEqual([200, { ...json, updated_at: restored.json['updated_at'] }]);
  });

  test('keeps the chats with the agent', async () => {
    const client = await signIn();
    const agentId = await createAgent(client);
    const chatId = await createChat(client, agentId);
    await client.delete(`/api/agents/${agentId}`);
    expect((await client.get(`/api/chats/${chatId}`)).status).toBe(200);
    expect((await client.post('/api/chats', { agent_id: agentId })).status).toBe(404);
  });
});

describe('PATCH /api/agents/{agent_id}/restore', () => {
  test('answers 409 when the agent is not deleted', async () => {
    const client = await signIn();
    expect((await client.patch(`/api/agents/${await createAgent(client)}/restore`)).status).toBe(409);
  });

  test('succeeds once when it comes many times at once', async () => {
    const client = await signIn();
    const path = `/api/agents/${await createAgent(client)}`;
    await client.delete(path);
    const answers = await Promise.all(Array.from({ length: 10 }, () => client.patch(`${path}/restore`)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(9);
  });
});

describe('an agent template', () => {
  test('is listed, with what a clone is created with, and shown by its id in any letters', async () => {
    const client = await signIn();
    const { json } = await client.get<Fields[]>('/api/agents/templates');
    expect(json.length).toBe(builtinAgents.length);
    expect((await client.get(templatePath)).json).toEqual(json[0]);
    expect((await client.get(`/api/agents/${template?.id.toUpperCase()}`)).json).toEqual(json[0]);
  });

  test('can be neither changed nor deleted', async () => {
    const client = await signIn();
    for (const path of [templatePath, `/api/agents/${template?.id.toUpperCase()}`]) {
      expect((await client.patch(path, { name: 'Mine' })).status).toBe(403);
      expect((await client.delete(path)).status).toBe(403);
    }
    expect((await client.get(templatePath)).json).toMatchObject({ name: template?.name });
  });

  test('is cloned by creating an agent with the same fields', async () => {
    const client = await signIn();
    const { json: templates } = await client.get<Fields[]>('/api/agents/templates');
    for (const { id: _id, created_at: _createdAt, updated_at: _updatedAt, ...fields } of templates) {
      const clone = await create(client, fields);
      expect([clone.status, clone.json]).toMatchObject([201, fields]);
    }
  });
});

describe('GET /api/agents/types/builtin', () => {
  test('lists the persona types, each with a prompt', async () => {
    const { json } = await (await signIn()).get<{ key: string; system_prompt: string }[]>('/api/agents/types/builtin');
    expect(json.length).toBeGreaterThan(0);
    expect(json.filter(({ system_prompt: prompt }) => prompt === '')).toEqual([]);
  });
});
