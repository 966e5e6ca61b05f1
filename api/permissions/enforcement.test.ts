import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { PERMISSION_CATALOG, type Role } from '../../domain/permissions/keys.ts';
import { registerColleague, registerGrouped } from '../../test/support/people.ts';
import { isWrittenRight } from '../../test/contract/written-rights.ts';
import { ApiClient } from '../../test/support/api-client.ts';
import { createAgent, createChat, createProvider, registerUser, type TestUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { SocketClient } from '../../test/support/socket-client.ts';
import { startTestApi, type TestApi } from '../../test/support/test-api.ts';
import { waitUntil } from '../../test/support/wait-until.ts';

const GROUPS = '/api/permissions/groups';
const ADDRESS = 'https://models.example.com/v1';
const served = serveTestApi();
let owner: TestUser;
let member: TestUser;
let viewer: TestUser;
/** Another api process on the same database, as far as its caches go. */
let other: TestApi;

beforeAll(async () => {
  owner = await registerUser(served.url);
  member = await registerColleague(served.api, owner, 'member');
  viewer = await registerColleague(served.api, owner, 'viewer');
  other = await startTestApi({ databaseUrl: served.api.database.url, temporalAddress: '127.0.0.1:1' });
});
afterAll(async () => other.close());

afterEach(async () => {
  for (const { id } of (await owner.client.get<{ id: string }[]>(GROUPS)).json) {
    await owner.client.delete(`${GROUPS}/${id}`);
  }
});

/** Puts the member and the viewer into a group. */
async function restrict(fields: Record<string, unknown>): Promise<string> {
  const created = await owner.client.post<{ id: string }>(GROUPS, { name: randomUUID(), ...fields });
  const members = { user_ids: [member.id, viewer.id] };
  await owner.client.send('PUT', `${GROUPS}/${created.json.id}/members`, members);
  return created.json.id;
}

const change = async (id: string, fields: Record<string, unknown>) => owner.client.patch(`${GROUPS}/${id}`, fields);
const idsOf = async (client: ApiClient, path: string) =>
  (await client.get<{ id: string }[]>(path)).json.map(({ id }) => id);

const EVERYTHING = ['agents.manage', 'memory.manage', 'providers.manage', 'settings.view'];

describe('a member in a group', () => {
  test('is let in where a key of the group fits the route, and refused with 403 elsewhere', async () => {
    const id = await restrict({ permissions: ['agents.view'] });
    expect((await member.client.get('/api/agents')).status).toBe(200);
    const refused = await member.client.post<{ detail: string }>('/api/agents', { name: 'New' });
    expect([refused.status, refused.json.detail]).toEqual([403, expect.stringContaining('agents.manage')]);
    expect((await member.client.get('/api/providers')).status).toBe(403);
    await change(id, { permissions: ['agents.manage'] });
    expect((await member.client.post('/api/agents', { name: 'New' })).status).toBe(201);
    expect((await viewer.client.post('/api/agents', { name: 'New' })).status).toBe(403);
    expect((await viewer.client.get('/api/agents')).status).toBe(200);
  });

  test('is evaluated again from the moment in which a change is answered, and by other processes once they hear of it', async () => {
    const id = await restrict({ permissions: ['agents.view'] });
    const elsewhere = new ApiClient(other.url, member.accessToken);
    for (let round = 0; round < 10; round += 1) {
      const isAllowed = round % 2 === 0;
      const expected = isAllowed ? 200 : 403;
      await change(id, { permissions: isAllowed ? ['agents.view'] : [] });
      expect((await member.client.get('/api/agents')).status).toBe(expected);
      await waitUntil(`${expected} from the other process`, async () =>
        (await elsewhere.get('/api/agents')).status === expected ? true : undefined,
      );
    }
    await owner.client.delete(`${GROUPS}/${id}`);
    expect((await member.client.get('/api/agents')).status).toBe(200);
  });

  test('reads an own chat whose agent the allowlist leaves out, and sends nothing to it', async () => {
    const [allowed, hidden] = [await createAgent(owner.client), await createAgent(owner.client)];
    const chatId = await createChat(member.client, hidden);
    await restrict({ permissions: EVERYTHING, capabilities: { agent_ids: [allowed] } });
    const stream = await member.client.post(`/api/chats/${chatId}/stream`, { content: 'hello' });
    expect([stream.status, stream.json]).toEqual([403, { detail: expect.stringContaining('agent of this chat') }]);
    expect((await member.client.get(`/api/chats/${chatId}`)).status).toBe(200);
    expect(await idsOf(member.client, `/api/chats?agent_id=${hidden}`)).toEqual([chatId]);
  });

  test('sees the builtin agents whatever the allowlist names, and changes none', async () => {
    await restrict({ permissions: EVERYTHING, capabilities: { agent_ids: [await createAgent(owner.client)] } });
    const [template = ''] = await idsOf(member.client, '/api/agents/templates');
    expect((await member.client.get(`/api/agents/${template}`)).status).toBe(200);
    expect((await member.client.patch(`/api/agents/${template}`, { name: 'Mine' })).status).toBe(403);
  });

  test('gives an agent the tools and skills of the allowlists only; what it has already can stay', async () => {
    const agentId = await createAgent(owner.client, { tools: ['http_request', 'time_now'], skills: ['summarize'] });
    await restrict({ permissions: EVERYTHING, capabilities: { tool_keys: ['time_now'], skill_keys: ['agent_spawn'] } });
    const patch = async (fields: Record<string, unknown>) => member.client.patch(`/api/agents/${agentId}`, fields);
    for (const [fields, key] of [
      [{ tools: ['time_now', 'file_write'] }, 'tool "file_write"'],
      [{ tools: ['http_request', 'agent_spawn'] }, 'tool "agent_spawn"'],
      [{ skills: ['summarize', 'web_search'] }, 'skill "web_search"'],
      // As a skill it would give the tool.
      [{ skills: ['agent_spawn'] }, 'tool "agent_spawn"'],
    ] as const) {
      const before = await owner.client.get(`/api/agents/${agentId}`);
      for (const answer of [await patch(fields), await member.client.post('/api/agents', { name: 'New', ...fields })]) {
        expect([answer.status, answer.json]).toEqual([403, { detail: expect.stringContaining('you cannot give it') }]);
      }
      expect((await patch(fields)).json).toEqual({ detail: expect.stringContaining(key) });
      expect((await owner.client.get(`/api/agents/${agentId}`)).json).toEqual(before.json);
    }
    expect((await patch({ name: 'Renamed', tools: ['http_request', 'time_now'], skills: ['summarize'] })).status).toBe(
      200,
    );
    expect((await patch({ tools: ['time_now'], skills: [] })).status).toBe(200);
    expect((await patch({ tools: ['time_now', 'http_request'] })).status).toBe(403);
    expect((await member.client.post('/api/agents', { name: 'New', tools: ['time_now'] })).status).toBe(201);
    expect((await owner.client.patch(`/api/agents/${agentId}`, { tools: ['http_request'] })).status).toBe(200);
  });

  test('changes the instructions of an agent only where they could give it all that it has', async () => {
    const instructions = {
      system_prompt: 'You help.',
      soul: { tone: 'dry' },
      skills: ['github_read'],
      mcps: [{ name: 'Docs' }],
    };
    const agentId = await createAgent(owner.client, { tools: ['time_now', 'file_write'], ...instructions });
    await restrict({
      permissions: [...EVERYTHING, 'mcp_servers.view', 'personas.view'],
      capabilities: { tool_keys: ['time_now', 'agent_spawn'], skill_keys: ['github_read', 'gitlab_read'] },
    });
    const [persona] = await idsOf(member.client, '/api/personas/builtin');
    const path = `/api/agents/${agentId}`;
    const changes = [
      { description: 'Writes all that it is sent into files.' },
      { system_prompt: 'Write what I say into every file.' },
      { soul: { tone: 'obedient' } },
      { skills: ['github_read', 'gitlab_read'] },
      { skills: [] },
      { persona_id: persona },
      { mcps: [] },
    ];
    const stripped = { tools: ['time_now'], system_prompt: 'Ours.' };
    const before = await owner.client.get(path);
    for (const fields of [...changes, stripped]) {
      const words = 'The agent has the tool "file_write", which your permission groups do not let you use';
      const answer = await member.client.patch(path, { name: 'Mine', ...fields });
      expect([answer.status, answer.json]).toEqual([403, { detail: expect.stringContaining(words) }]);
    }
    expect((await owner.client.get(path)).json).toEqual(before.json);
    // What is as it was is not changed, and a model or a name says nothing to it.
    expect((await member.client.patch(path, { ...instructions, name: 'Renamed', temperature: 1 })).status).toBe(200);
    expect(
      (await owner.client.patch(path, { skills: ['github_read', 'agent_spawn'], tools: ['time_now'] })).status,
    ).toBe(200);
    const skill = await member.client.patch(path, { system_prompt: 'Delegate.' });
    expect([skill.status, skill.json]).toEqual([403, { detail: expect.stringContaining('the skill "agent_spawn"') }]);
    // Without what they may not give, they may tell it anything.
    const both = await member.client.patch(path, { skills: ['github_read'], system_prompt: 'Ours.' });
    expect([both.status, both.json]).toEqual([403, { detail: expect.stringContaining('the skill "agent_spawn"') }]);
    expect((await owner.client.patch(path, { skills: ['github_read'] })).status).toBe(200);
    for (const fields of changes) expect((await member.client.patch(path, fields)).status).toBe(200);
  });

  test('changes no record that instructs an agent unless they could give it all that it has', async () => {
    const key = `k-${randomUUID()}`;
    const { client } = owner;
    const id = async (path: string, body: object) => (await client.post<{ id: string }>(path, body)).json.id;
    const named = { key, name: 'Sample', description: 'For a test.' };
    const [skill, tool, persona, server] = [
      await id('/api/skills', { ...named, category: 'writing' }),
      await id('/api/tools', { ...named, category: 'web' }),
      await id('/api/personas', named),
      await id('/api/mcp-servers', { name: 'Docs', url: 'https://mcp.example.com/mcp' }),
    ];
    const uses = { skills: [key], tools: [key], persona_id: persona, mcps: [{ id: server }] };
    const agentId = await createAgent(client, { name: 'Clerk', ...uses });
    const memory = await id(`/api/agents/${agentId}/memories`, { content: 'Be brief.', type: 'instruction' });
    const permissions = PERMISSION_CATALOG.map(({ key: each }) => each);
    await restrict({ permissions, capabilities: { tool_keys: [key] } });
    const content = `---\nname: ${key}\ndescription: Obey.\n---\nObey.\n`;
    const own = { key: 'replaced', name: 'Mine', category: 'custom' };
    const changes: [method: string, path: string, body?: object][] = [
      ['PUT', `/api/skills/${skill}/files/SKILL.md`, { content }],
      ['DELETE', `/api/skills/${skill}/files/SKILL.md`],
      ['PATCH', `/api/skills/${skill}`, { description: 'Obey.' }],
      ['PUT', `/api/tools/${tool}/files/main.js`, { content: 'export default () => 1' }],
      ['PATCH', `/api/tools/${tool}`, { description: 'Obey.' }],
      ['PATCH', `/api/personas/${persona}`, { system_prompt: 'Obey.' }],
      ['PATCH', `/api/mcp-servers/${server}`, { url: 'https://obey.example.com/mcp' }],
      ['PATCH', `/api/agents/${agentId}/memories/${memory}`, { content: 'Obey.' }],
      ['POST', `/api/agents/${agentId}/memories`, { content: 'Obey.', type: 'instruction' }],
      ['DELETE', `/api/agents/${agentId}/memories/${memory}`],
      ['DELETE', `/api/mcp-servers/${server}`],
      ['DELETE', `/api/personas/${persona}`],
      ['DELETE', `/api/skills/${skill}`],
      // The agent names the skill already.
      ['POST', '/api/skills', own],
    ];
    const send = async (who: TestUser) => {
      const answers = [];
      for (const [method, path, body] of changes) answers.push(await who.client.send(method, path, body));
      return answers;
    };
    await client.patch(`/api/agents/${agentId}`, { tools: [key, 'file_write'] });
    const replaced = await id('/api/skills', { ...own, name: 'Soon replaced' });
    await client.patch(`/api/agents/${agentId}`, { skills: [key, 'replaced'] });
    await client.delete(`/api/skills/${replaced}`);
    const words =
      'The agent "Clerk" has the tool "file_write", which your permission groups do not let you use, so you cannot change its instructions';
    for (const { status, json } of await send(member)) expect([status, json]).toEqual([403, { detail: words }]);
    // Nobody else is kept from it, nor are they once they could give the agent all that it has.
    await client.patch(`/api/agents/${agentId}`, { tools: [key] });
    const statuses = (await send(member)).map(({ status }) => status);
    expect(statuses).toEqual([200, 204, 200, 200, 200, 200, 200, 200, 201, 204, 204, 204, 204, 201]);
  });

  test('does not learn which agent they may not direct where they may not see it', async () => {
    const persona = { key: `k-${randomUUID()}`, name: 'Sample' };
    const { json } = await owner.client.post<{ id: string }>('/api/personas', persona);
    await createAgent(owner.client, { name: 'Secret', persona_id: json.id, tools: ['file_write'] });
    await restrict({ permissions: ['personas.manage'], capabilities: { tool_keys: ['time_now'] } });
    const { status, json: refused } = await member.client.patch(`/api/personas/${json.id}`, { name: 'Mine' });
    expect([status, refused]).toEqual([403, { detail: expect.stringContaining('An agent that you may not see') }]);
    expect(JSON.stringify(refused)).not.toMatch(/Secret|file_write/);
  });

  test('sees nothing where all that the allowlist names was deleted', async () => {
    const gone = await createAgent(owner.client);
    await restrict({ permissions: EVERYTHING, capabilities: { agent_ids: [gone] } });
    await owner.client.delete(`/api/agents/${gone}`);
    expect(await idsOf(member.client, '/api/agents')).toEqual([]);
  });

  test('may have as many provider accounts as the limit says, also when all are added or restored at once', async () => {
    const { system } = served.api.database;
    await system.query('delete from provider_accounts where user_id = $1', [member.id]);
    const gone = await Promise.all(Array.from({ length: 3 }, async () => createProvider(member.client, ADDRESS)));
    for (const id of gone) await member.client.delete(`/api/providers/${id}`);
    await restrict({ permissions: EVERYTHING, limits: { max_provider_accounts: 4 } });
    const address = { base_url: ADDRESS, model_name: 'm', auth_type: 'none' };
    const body = { provider_type: 'openai-compatible', name: 'Mine', ...address };
    const answers = await Promise.all([
      ...Array.from({ length: 12 }, async () => member.client.post('/api/providers', body)),
      ...gone.map(async (id) => member.client.patch(`/api/providers/${id}/restore`)),
    ]);
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(4);
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(11);
    expect((await owner.client.post('/api/providers', body)).status).toBe(201);
  });

  test('has an account restored by an administrator only within the limit', async () => {
    const { system } = served.api.database;
    await system.query('delete from provider_accounts where user_id = $1', [member.id]);
    const [gone] = [await createProvider(member.client, ADDRESS), await createProvider(member.client, ADDRESS)];
    await member.client.delete(`/api/providers/${gone}`);
    const id = await restrict({ permissions: EVERYTHING, limits: { max_provider_accounts: 1 } });
    const restore = async () => owner.client.patch<{ detail: string }>(`/api/providers/${gone}/restore`);
    const refused = await restore();
    expect([refused.status, refused.json.detail]).toEqual([403, expect.stringContaining('owner of this account')]);
    await change(id, { limits: { max_provider_accounts: 2 } });
    expect((await restore()).status).toBe(200);
  });

  test('may not send a message over an open socket to an agent that was taken away, once the process has heard of it', async () => {
    const agentId = await createAgent(owner.client);
    const chatId = await createChat(member.client, agentId);
    const id = await restrict({ permissions: EVERYTHING });
    const socket = await SocketClient.connect(other.url, chatId, member.accessToken);
    const kept = await createAgent(owner.client);
    // It learns of the change from nothing but the news.
    jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    await change(id, { capabilities: { agent_ids: [kept] } });
    const send = () => {
      socket.send({ type: 'message', content: 'hello' });
      return socket.endings[0];
    };
    const refusal = await waitUntil('a message to be refused', send);
    jest.restoreAllMocks();
    expect(refusal).toMatchObject({ type: 'error', message: expect.stringContaining('agent of this chat') });
    socket.close();
  });
});

describe('GET /api/permissions/me', () => {
  interface Own {
    readonly role: Role;
    readonly is_restricted: boolean;
    readonly permissions: readonly string[];
    readonly limits: Readonly<Record<string, number>>;
    readonly capabilities: Readonly<Record<string, unknown>>;
    readonly groups: readonly unknown[];
    readonly usage: Readonly<Record<string, unknown>>;
  }
  const own = async (user: TestUser) => (await user.client.get<Own>('/api/permissions/me')).json;

  test('shows each of two members what their own group grants', async () => {
    for (const key of ['agents.view', 'approvals.view']) {
      const { member: grouped } = await registerGrouped(served.api, owner, [key]);
      expect(await own(grouped)).toMatchObject({ is_restricted: true, permissions: [key] });
    }
  });

  test('shows what a role grants when no group narrows it', async () => {
    expect(await own(owner)).toMatchObject({ role: 'owner', is_restricted: false, groups: [] });
    for (const user of [owner, member, viewer]) {
      const { role, permissions } = await own(user);
      const keys = PERMISSION_CATALOG.map(({ key }) => key).filter((key) => isWrittenRight(role, key));
      expect([role, [...permissions].toSorted()]).toEqual([role, keys.toSorted()]);
    }
    const ofMember = await own(member);
    expect(ofMember.limits).toEqual({
      token_budget: 0,
      token_window_hours: 0,
      max_concurrent_agents: 0,
      max_provider_accounts: 0,
    });
    expect(ofMember.usage).toMatchObject({ budgets: [], is_blocked: false, available_at: null, running_agents: 0 });
  });

  test('shows the union of the groups, and what of the budgets has been used', async () => {
    const agentId = await createAgent(owner.client);
    const chatId = await createChat(member.client);
    const { system } = served.api.database;
    const use = async (tokens: number, hoursAgo: number) =>
      system.query(
        `with t as (insert into turns (id, org_id, chat_id, user_id, status, ended_at)
            values (gen_random_uuid(), $1, $2, $3, 'completed', now()) returning *)
          insert into token_usage (turn_id, step, org_id, chat_id, user_id, model, input_tokens, output_tokens, estimated,
            created_at)
          select id, 0, org_id, chat_id, user_id, 'm', $4 - 1, 1, false, now() - $5 * interval '1 hour' from t`,
        [owner.orgId, chatId, member.id, tokens, hoursAgo],
      );
    await use(100, 30);
    await use(40, 5);
    await use(20, 1);
    const first = await restrict({
      permissions: ['agents.view'],
      limits: { token_budget: 50, token_window_hours: 6, max_concurrent_agents: 1 },
      capabilities: { agent_ids: [agentId] },
    });
    const second = await restrict({
      permissions: ['tasks.manage'],
      limits: { token_budget: 150, max_concurrent_agents: 3 },
      capabilities: { agent_ids: [agentId], tool_keys: ['time_now'] },
    });
    const blocked = await own(member);
    expect(blocked).toMatchObject({
      is_restricted: true,
      permissions: expect.arrayContaining(['agents.view', 'tasks.view', 'tasks.manage']),
      limits: { max_concurrent_agents: 3 },
      capabilities: { agent_ids: [agentId], tool_keys: [] },
      groups: [expect.objectContaining({ id: first }), expect.objectContaining({ id: second })],
    });
    expect(blocked.permissions).toHaveLength(3);
    const { budgets, is_blocked: isBlocked, available_at: availableAt } = blocked.usage;
    expect(budgets).toEqual([
      {
        token_budget: 50,
        token_window_hours: 6,
        used_tokens: 60,
        remaining_tokens: 0,
        available_at: expect.any(String),
      },
      { token_budget: 150, token_window_hours: 0, used_tokens: 160, remaining_tokens: 0, available_at: null },
    ]);
    expect(isBlocked).toBe(true);
    // The 40 tokens of five hours ago leave the window of six hours in one.
    const wait = new Date(String(availableAt)).getTime() - Date.now();
    expect(Math.abs(wait - 3_600_000)).toBeLessThan(60_000);
    await change(second, { limits: { token_budget: 161 } });
    expect((await own(member)).usage).toMatchObject({ is_blocked: false, available_at: null });
  });
});
