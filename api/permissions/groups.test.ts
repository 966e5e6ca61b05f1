import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { routes } from '../routes.ts';
import { PERMISSION_CATALOG } from '../../domain/permissions/keys.ts';
import { registerColleague } from '../../test/support/people.ts';
import { UNKNOWN_ID } from '../../test/support/unknown-id.ts';
import type { ApiClient } from '../../test/support/api-client.ts';
import { createAgent, createChain, createProvider, registerUser, type TestUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

interface Group {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly limits: Readonly<Record<string, number>>;
  readonly capabilities: Readonly<Record<string, readonly string[] | string | null>>;
  readonly user_ids: readonly string[];
}

const GROUPS = '/api/permissions/groups';
const served = serveTestApi();
let owner: TestUser;
let member: TestUser;
let viewer: TestUser;
let stranger: TestUser;

beforeAll(async () => {
  stranger = await registerUser(served.url);
  owner = await registerUser(served.url);
  member = await registerColleague(served.api, owner, 'member');
  viewer = await registerColleague(served.api, owner, 'viewer');
});

afterEach(async () => {
  await served.api.database.system.query('delete from permission_groups');
});

async function createGroup(fields: Record<string, unknown> = {}): Promise<Group> {
  const answer = await owner.client.post<Group>(GROUPS, { name: randomUUID(), ...fields });
  expect(answer.status).toBe(201);
  return answer.json;
}

const setMembers = async (id: string, userIds: readonly string[]) =>
  owner.client.send<Group>('PUT', `${GROUPS}/${id}/members`, { user_ids: userIds });

describe('a permission group', () => {
  test('is answered as it was made, with defaults for what was left out', async () => {
    const plain = await createGroup({ name: '  Readers ' });
    expect(plain).toMatchObject({ name: 'Readers', description: '', permissions: [], user_ids: [] });
    expect(plain.limits).toEqual({
      token_budget: 0,
      token_window_hours: 0,
      max_concurrent_agents: 0,
      max_provider_accounts: 0,
    });
    expect(plain.capabilities).toEqual({
      agent_ids: [],
      skill_keys: [],
      tool_keys: [],
      persona_ids: [],
      provider_ids: [],
      chain_ids: [],
      default_chain_id: null,
    });
    const agentId = await createAgent(owner.client);
    const chainId = await createChain(owner.client);
    const providerId = await createProvider(owner.client, 'https://models.example.com/v1');
    const fields = {
      description: 'for trials',
      permissions: ['agents.manage', 'tasks.view', 'agents.manage'],
      limits: { token_budget: 1_000, token_window_hours: 24 },
      capabilities: {
        agent_ids: [agentId.toUpperCase(), agentId],
        tool_keys: ['time_now', 'agent_spawn'],
        skill_keys: ['agent_spawn'],
        chain_ids: [chainId],
        provider_ids: [providerId],
        default_chain_id: chainId,
      },
    };
    const full = await createGroup(fields);
    expect(full.permissions).toEqual(['agents.manage', 'tasks.view']);
    expect(full.limits).toMatchObject({ token_budget: 1_000, token_window_hours: 24, max_concurrent_agents: 0 });
    expect(full.capabilities).toEqual({ ...fields.capabilities, agent_ids: [agentId], persona_ids: [] });
    const list = await owner.client.get<Group[]>(GROUPS);
    expect(list.json.map(({ id }) => id)).toEqual([plain.id, full.id]);
  });

  test('changes in the given fields only', async () => {
    const group = await createGroup({
      permissions: ['tasks.view'],
      limits: { token_budget: 5, token_window_hours: 1 },
    });
    const answer = await owner.client.patch<Group>(`${GROUPS}/${group.id}`, {
      limits: { max_concurrent_agents: 2 },
      capabilities: { tool_keys: ['time_now'] },
    });
    expect(answer.json).toMatchObject({
      name: group.name,
      permissions: ['tasks.view'],
      limits: { token_budget: 5, token_window_hours: 1, max_concurrent_agents: 2, max_provider_accounts: 0 },
      capabilities: { tool_keys: ['time_now'], agent_ids: [] },
    });
  });

  test('refuses a name that another one of the organization has, in whatever letters', async () => {
    const { name } = await createGroup({ name: 'Readers' });
    const other = await createGroup();
    expect((await owner.client.post(GROUPS, { name: 'readers' })).status).toBe(409);
    expect((await owner.client.patch(`${GROUPS}/${other.id}`, { name })).status).toBe(409);
    expect((await owner.client.patch(`${GROUPS}/${other.id}`, { name: 'READERS' })).status).toBe(409);
    expect((await stranger.client.post(GROUPS, { name })).status).toBe(201);
  });

  test('is made once when ten requests with its name come at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, async () => owner.client.post(GROUPS, { name: 'Twins' })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      201,
      ...Array.from({ length: 9 }, () => 409),
    ]);
  });

  test.each([
    ['a line break', 'Read\ners'],
    ['a tab', 'Read\ters'],
    ['an escape', 'Read\u001b[2Jers'],
    ['a delete', 'Read\u007fers'],
    ['a line separator', 'Read\u2028ers'],
    ['a change of direction', 'Read\u202eers'],
    ['nothing but blanks', ' \u00a0 '],
  ])('refuses a name with %s', async (_what, name) => {
    expect((await owner.client.post(GROUPS, { name })).status).toBe(422);
  });

  test.each(['agents.fly', 'agents.View', 'agents.*', ' agents.view', 'constructor'])(
    'answers 400 to the unknown permission key %j, and stays as it was',
    async (key) => {
      const group = await createGroup({ permissions: ['tasks.view'] });
      const permissions = ['agents.view', key];
      expect((await owner.client.post(GROUPS, { name: 'New', permissions })).status).toBe(400);
      expect((await owner.client.patch(`${GROUPS}/${group.id}`, { permissions })).status).toBe(400);
      expect((await owner.client.get<Group[]>(GROUPS)).json).toEqual([group]);
    },
  );

  test.each(['token_budget', 'token_window_hours', 'max_concurrent_agents', 'max_provider_accounts'])(
    'answers 422 to a limit that is no limit: %s',
    async (name) => {
      for (const value of [-1, 0.5, 1e12, '5', null, true, [1]]) {
        const answer = await owner.client.post(GROUPS, { name: 'New', limits: { [name]: value } });
        expect([value, answer.status]).toEqual([value, 422]);
      }
      expect((await owner.client.post(GROUPS, { name: 'New', limits: { token_budgets: 1 } })).status).toBe(422);
    },
  );

  test('answers the same 404 to an unknown and a foreign id in each allowlist', async () => {
    const foreign = {
      agent_ids: await createAgent(stranger.client),
      provider_ids: await createProvider(stranger.client, 'https://models.example.com/v1'),
      chain_ids: await createChain(stranger.client),
      persona_ids: stranger.id,
    };
    const group = await createGroup();
    for (const [list, foreignId] of Object.entries(foreign)) {
      const send = async (id: string) => {
        const capabilities = { [list]: [id] };
        const created = await owner.client.post(GROUPS, { name: 'New', capabilities });
        const changed = await owner.client.patch(`${GROUPS}/${group.id}`, { capabilities });
        return [created.status, created.json, changed.status, changed.json];
      };
      const unknown = await send(UNKNOWN_ID);
      expect([list, unknown[0], unknown[2]]).toEqual([list, 404, 404]);
      expect(await send(foreignId)).toEqual(unknown);
    }
    const chain = async (id: string) =>
      owner.client.post(GROUPS, { name: 'New', capabilities: { default_chain_id: id } });
    expect((await chain(UNKNOWN_ID)).status).toBe(404);
    expect((await chain(foreign.chain_ids)).json).toEqual((await chain(UNKNOWN_ID)).json);
    for (const list of ['tool_keys', 'skill_keys']) {
      expect((await owner.client.post(GROUPS, { name: 'New', capabilities: { [list]: ['no_such'] } })).status).toBe(
        404,
      );
    }
  });

  test('keeps what was deleted since in its allowlists, and takes it in again, but nothing else that was deleted', async () => {
    const agentIds = [await createAgent(owner.client), await createAgent(owner.client)];
    const chainId = await createChain(owner.client);
    const capabilities = { agent_ids: agentIds.slice(0, 1), chain_ids: [chainId], default_chain_id: chainId };
    const group = await createGroup({ capabilities });
    for (const id of agentIds) await owner.client.delete(`/api/agents/${id}`);
    await owner.client.delete(`/api/providers/chains/${chainId}`);
    const expected = { agent_ids: agentIds.slice(0, 1), chain_ids: [chainId], default_chain_id: null };
    expect((await owner.client.get<Group[]>(GROUPS)).json).toMatchObject([{ capabilities: expected }]);
    const send = async (ids: readonly string[]) =>
      owner.client.patch<Group>(`${GROUPS}/${group.id}`, { capabilities: { agent_ids: ids } });
    expect((await send(agentIds.slice(0, 1))).json.capabilities).toMatchObject(expected);
    expect((await send(agentIds)).status).toBe(404);
    expect((await send([])).json.capabilities['agent_ids']).toEqual([]);
  });

  test('takes members of the organization, each once, and nobody else', async () => {
    const group = await createGroup();
    const answer = await setMembers(group.id, [member.id, viewer.id, member.id.toUpperCase()]);
    expect([answer.status, answer.json.user_ids]).toEqual([200, [member.id, viewer.id].toSorted()]);
    const unknown = await setMembers(group.id, [member.id, UNKNOWN_ID]);
    expect(unknown.status).toBe(404);
    const foreign = await setMembers(group.id, [stranger.id]);
    expect([foreign.status, foreign.json]).toEqual([404, unknown.json]);
    expect((await owner.client.get<Group[]>(GROUPS)).json).toMatchObject([{ user_ids: answer.json.user_ids }]);
    expect((await setMembers(group.id, [])).json.user_ids).toEqual([]);
  });

  test('takes a thousand members in one request', async () => {
    const group = await createGroup();
    const { rows } = await served.api.database.system.query<{ id: string }>(
      `with people as (insert into users (id, email) select gen_random_uuid(), gen_random_uuid()::text
          from generate_series(1, 1000) returning id)
        insert into memberships (org_id, user_id, role) select $1, id, 'member' from people returning user_id as id`,
      [owner.orgId],
    );
    const ids = rows.map(({ id }) => id);
    const answer = await setMembers(group.id, ids);
    expect([answer.status, answer.json.user_ids]).toEqual([200, ids.toSorted()]);
    expect((await owner.client.patch(`${GROUPS}/${group.id}`, { permissions: ['tasks.view'] })).status).toBe(200);
  });

  test('loses a member who leaves the organization, and goes with all it narrows when it is deleted', async () => {
    const group = await createGroup();
    await setMembers(group.id, [member.id, owner.id]);
    expect((await member.client.get('/api/agents')).status).toBe(403);
    const leaver = await registerColleague(served.api, owner, 'member');
    await setMembers(group.id, [leaver.id, owner.id]);
    const { system } = served.api.database;
    await system.query('delete from memberships where user_id = $1 and org_id = $2', [leaver.id, owner.orgId]);
    expect((await owner.client.get<Group[]>(GROUPS)).json).toMatchObject([{ user_ids: [owner.id] }]);
    expect((await member.client.get('/api/agents')).status).toBe(200);
    expect((await owner.client.delete(`${GROUPS}/${group.id}`)).status).toBe(204);
    expect((await owner.client.delete(`${GROUPS}/${group.id}`)).status).toBe(404);
  });

  test('forces a chain no longer that was deleted', async () => {
    const chain = await createChain(owner.client);
    const { id } = await createGroup({ capabilities: { default_chain_id: chain } });
    await setMembers(id, [member.id]);
    const forced = async () =>
      (await member.client.get<{ capabilities: object }>('/api/permissions/me')).json.capabilities;
    expect(await forced()).toMatchObject({ default_chain_id: chain });
    await owner.client.delete(`/api/providers/chains/${chain}`);
    expect(await forced()).toMatchObject({ default_chain_id: null });
  });

  test('is seen by who may view the settings, and changed by administrators alone', async () => {
    const group = await createGroup({ permissions: PERMISSION_CATALOG.map(({ key }) => key) });
    await setMembers(group.id, [member.id]);
    const admin = await registerColleague(served.api, owner, 'admin');
    const paths = [GROUPS, `${GROUPS}/${group.id}`, '/api/permissions/assignable', '/api/audit'];
    const statuses = async (client: ApiClient) =>
      Promise.all(paths.map(async (path) => (await client.get(path)).status));
    for (const { client } of [member, viewer, admin]) expect(await statuses(client)).toEqual([200, 200, 200, 200]);
    expect((await viewer.client.get(paths[1] ?? '')).json).toMatchObject({ id: group.id, user_ids: [member.id] });
    const restrict = await createGroup({ permissions: ['agents.view'] });
    await setMembers(restrict.id, [viewer.id]);
    expect(await statuses(viewer.client)).toEqual([403, 403, 403, 403]);
    await setMembers(restrict.id, []);
    expect((await member.client.send('PUT', `${GROUPS}/${group.id}/members`, { user_ids: [] })).status).toBe(403);
    expect((await member.client.patch(`${GROUPS}/${group.id}`, { permissions: [] })).status).toBe(403);
  });
});

describe('what can be assigned', () => {
  test("is what lives of the organization, and the service's tools", async () => {
    const agentId = await createAgent(owner.client, { name: 'Ada' });
    const gone = await createAgent(owner.client);
    await owner.client.delete(`/api/agents/${gone}`);
    await createAgent(stranger.client);
    const answer =
      await owner.client.get<Record<string, { id?: string; key?: string; name: string }[]>>(
        '/api/permissions/assignable',
      );
    expect(answer.json['agents']).toContainEqual({ id: agentId, name: 'Ada' });
    const known = await owner.client.get<{ id: string }[]>('/api/agents');
    expect(answer.json['agents']?.map(({ id }) => id)).toEqual(known.json.map(({ id }) => id));
    expect(answer.json['tools']).toContainEqual(expect.objectContaining({ key: 'http_request' }));
  });

  test('has no accounts that others added for themselves, but for administrators', async () => {
    const own = await createProvider(member.client, 'https://models.example.com/v1', { name: 'Mine' });
    const shown = async (client: ApiClient) =>
      (await client.get<{ providers: { id: string }[] }>('/api/permissions/assignable')).json.providers;
    for (const { client } of [owner, member]) expect(await shown(client)).toContainEqual({ id: own, name: 'Mine' });
    expect(await shown(viewer.client)).not.toContainEqual({ id: own, name: 'Mine' });
  });
});

describe('the catalog', () => {
  test('says of an area that it is reserved exactly where no route asks for its keys', async () => {
    const { json } =
      await viewer.client.get<{ area: string; label: string; reserved: boolean }[]>('/api/permissions/catalog');
    const reserved = json.filter((each) => each.reserved);
    expect(reserved.map(({ label }) => label)).toEqual([
      'Proposals (reserved): view',
      'Proposals (reserved): view and change',
    ]);
    const asked = routes.map(({ access }) => JSON.stringify(access)).join(' ');
    for (const { area, reserved: isReserved } of json.filter((each) => each.area !== 'chats' && each.area !== 'ui'))
      expect([area, asked.includes(`${area}.`)]).toEqual([area, !isReserved]);
  });

  test('is shown to every member', async () => {
    const answer = await viewer.client.get<{ key: string; implies: string[] }[]>('/api/permissions/catalog');
    expect(answer.json.map(({ key }) => key)).toEqual(PERMISSION_CATALOG.map(({ key }) => key));
    expect(answer.json).toContainEqual(expect.objectContaining({ key: 'tools.manage', implies: ['tools.view'] }));
  });
});
