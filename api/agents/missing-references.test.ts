import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createAgent, createTool, registerUser, type TestUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

type Fields = Record<string, unknown>;

const NONE = {
  tools: [],
  unusable_tools: [],
  skills: [],
  unusable_skills: [],
  persona_id: null,
  mcp_servers: [],
  mcp_tools: [],
  model_profile: null,
};

const served = serveTestApi();
let user: TestUser;
beforeAll(async () => {
  user = await registerUser(served.url);
});

const missingOf = async (agentId: string) =>
  (await user.client.get<{ missing: Fields }>(`/api/agents/${agentId}`)).json.missing;
const add = async (path: string, fields: Fields) => {
  const { status, json } = await user.client.post<{ id: string }>(path, fields);
  if (status !== 201) throw new Error(`${path} answered ${status}: ${JSON.stringify(json)}`);
  return json.id;
};
const addServer = async () => add('/api/mcp-servers', { name: 'Tickets', url: 'https://mcp.example.com/mcp' });

/** Stores tools as if they had been fetched from a server. */
async function fetched(serverId: string, names: readonly string[]): Promise<void> {
  const tools = names.map((name) => ({ name, description: '', inputSchema: { type: 'object' } }));
  await served.api.database.system.query(
    'update mcp_servers set tools = $2, tools_fetched_at = now(), tools_revision = gen_random_uuid() where id = $1',
    [serverId, JSON.stringify(tools)],
  );
}

describe('an agent says what is missing', () => {
  test('of its tools: those that cannot be used, and those that lack an integration', async () => {
    await createTool(user.client, { 'tool.json': '{"runtime":"http"}' }, { key: 'half_done' });
    await createTool(
      user.client,
      { 'tool.json': '{"runtime":"javascript","parameters":{"type":"object"}}', 'main.js': 'export default () => 1' },
      { key: 'shell_run' },
    );
    const tools = ['time_now', 'mcp', 'agent_spawn', 'half_done', 'kubernetes', 'shell_run'];
    const agentId = await createAgent(user.client, { tools });
    expect(await missingOf(agentId)).toEqual({
      ...NONE,
      unusable_tools: [
        { key: 'half_done', problem: expect.stringContaining('parameters is missing') },
        { key: 'kubernetes', problem: expect.stringContaining('needs an integration with') },
      ],
    });
  });

  test('of its MCP servers: those that were deleted, and chosen tools that theirs have no more', async () => {
    const [gone, kept, unknown] = [await addServer(), await addServer(), await addServer()];
    await fetched(kept, ['one', 'two']);
    const mcps = [
      { server_id: gone, tools: ['one'] },
      { name: 'An address', url: 'https://mcp.example.com/other', tools: ['x'] },
      { id: kept, tools: ['one', 'three'] },
      { id: unknown, tools: ['never fetched'] },
    ];
    const agentId = await createAgent(user.client, { tools: ['mcp'], mcps });
    const ofTools = [{ server_id: kept, tools: ['three'] }];
    expect(await missingOf(agentId)).toEqual({ ...NONE, mcp_tools: ofTools });
    await user.client.delete(`/api/mcp-servers/${gone}`);
    expect(await missingOf(agentId)).toEqual({ ...NONE, mcp_servers: [gone], mcp_tools: ofTools });
  });

  test('of its model: a profile that does not exist, or whose chain was deleted', async () => {
    const chain = await add('/api/providers/chains', { name: 'Chain', steps: [{ provider_type: 'demo' }] });
    const profile = await add('/api/model-profiles', { name: 'Fast', provider_chain_id: chain });
    const unknown = await user.client.post('/api/agents', { name: 'New', model_pref: 'profile:slow' });
    expect([unknown.status, unknown.json]).toMatchObject([422, { detail: [{ loc: ['body', 'model_pref'] }] }]);
    const named = await createAgent(user.client, { model_pref: 'profile: fast' });
    const model = await createAgent(user.client, { model_pref: 'some-model' });
    expect([await missingOf(named), await missingOf(model)]).toEqual([NONE, NONE]);
    await user.client.delete(`/api/providers/chains/${chain}`);
    expect(await missingOf(named)).toEqual({ ...NONE, model_profile: 'fast' });
    await user.client.patch(`/api/model-profiles/${profile}`, { name: 'Quick' });
    expect([await missingOf(named), await missingOf(model)]).toEqual([{ ...NONE, model_profile: 'Quick' }, NONE]);
    const { json: record } = await user.client.get<Fields>(`/api/agents/${named}`);
    // It stays as it was stored, and a clone that is without it goes by no profile.
    expect((await user.client.patch(`/api/agents/${named}`, record)).status).toBe(200);
    await served.api.database.system.query('delete from model_profiles where id = $1', [profile]);
    const gone = (await user.client.get<Fields>(`/api/agents/${named}`)).json;
    expect((await user.client.patch(`/api/agents/${named}`, gone)).json).toMatchObject({ model_pref: 'profile:Quick' });
    expect((await user.client.post('/api/agents', gone)).json).toMatchObject({ model_pref: null, missing: NONE });
  });
});

describe('the clone of an agent', () => {
  test('is made of its record without what is missing', async () => {
    const [gone, kept] = [await addServer(), await addServer()];
    const toolId = await createTool(user.client, {}, { key: 'soon_gone' });
    const skillId = await add('/api/skills', { key: 'soon_gone', name: 'Skill', category: 'custom' });
    const personaId = await add('/api/personas', { key: `k-${randomUUID()}`, name: 'Persona' });
    const agentId = await createAgent(user.client, {
      tools: ['mcp', 'soon_gone', 'kubernetes'],
      skills: ['soon_gone'],
      mcps: [{ id: gone }, { id: kept }],
      persona_id: personaId,
    });
    for (const path of [`mcp-servers/${gone}`, `tools/${toolId}`, `skills/${skillId}`, `personas/${personaId}`])
      await user.client.delete(`/api/${path}`);
    const { json: record } = await user.client.get<Fields>(`/api/agents/${agentId}`);
    const clone = await user.client.post<Fields>('/api/agents', { ...record, name: 'Clone' });
    expect([clone.status, clone.json]).toMatchObject([
      201,
      {
        tools: ['mcp', 'kubernetes'],
        skills: [],
        mcps: [{ id: kept }],
        persona_id: null,
        missing: { ...NONE, unusable_tools: [{ key: 'kubernetes' }] },
      },
    ]);
    // The record may be sent back to where it came from, too.
    const changed = await user.client.patch<Fields>(`/api/agents/${agentId}`, {
      ...record,
      name: 'Renamed',
      persona_id: null,
    });
    expect([changed.status, changed.json['mcps']]).toEqual([200, [{ id: gone }, { id: kept }]]);
  });

  test('is refused where it names what does not exist, and does not say that it is missing', async () => {
    const mcps = [{ id: randomUUID() }];
    expect((await user.client.post('/api/agents', { name: 'New', mcps })).status).toBe(404);
    expect((await user.client.post('/api/agents', { name: 'New', mcps, missing: { mcp_servers: 'all' } })).status).toBe(
      404,
    );
    expect((await user.client.post('/api/agents', { name: 'New', missing: 'all' })).status).toBe(422);
  });
});
