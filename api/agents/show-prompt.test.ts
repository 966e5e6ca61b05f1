import { describe, expect, test } from '@jest/globals';
import { builtinAgents } from '../../builtin/index.ts';
import { estimateToolTokens } from '../../domain/transcripts/model-message.ts';
import { createAgent, createTool, registerUser, type TestUser } from '../../test/support/factories.ts';
import { registerColleague } from '../../test/support/people.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import type { ApiClient } from '../../test/support/api-client.ts';

interface Shown {
  readonly id: string;
  readonly characters: number;
  readonly estimated_tokens: number;
  readonly parts: readonly { readonly name: string; readonly text: string | null; readonly characters: number }[];
  readonly skills: readonly { readonly key: string }[];
  readonly tools: readonly { readonly name: string; readonly estimated_tokens: number }[];
}

const served = serveTestApi();
const promptOf = async (client: ApiClient, id: string) => (await client.get<Shown>(`/api/agents/${id}/prompt`)).json;

async function restrictedColleague(owner: TestUser, fields: object): Promise<TestUser> {
  const colleague = await registerColleague(served.api, owner, 'member');
  const group = await owner.client.post<Shown>('/api/permissions/groups', { name: 'Narrow' });
  const path = `/api/permissions/groups/${group.json.id}`;
  expect((await owner.client.patch(path, fields)).status).toBe(200);
  await owner.client.send('PUT', `${path}/members`, { user_ids: [colleague.id] });
  return colleague;
}

describe('GET /api/agents/{agent_id}/prompt', () => {
  test('shows each part with its size, and what the tools take', async () => {
    const { client } = await registerUser(served.url);
    const id = await createAgent(client, { system_prompt: 'You count.', tools: ['time_now', 'shell_run'] });
    const prompt = await promptOf(client, id);
    expect(prompt).toMatchObject({
      agent_id: id,
      characters: 10,
      parts: [{ name: 'agent', text: 'You count.', characters: 10, estimated_tokens: 3 }],
      skills: [],
    });
    // The other tool is known, and does not run yet.
    expect(prompt.tools).toEqual([{ name: 'time_now', is_whole: true, estimated_tokens: expect.any(Number) }]);
    expect(prompt.estimated_tokens).toBe(3 + (prompt.tools[0]?.estimated_tokens ?? 0));
  });

  test('counts the tools that a turn offers: those that can be used, and those of MCP servers', async () => {
    const { client } = await registerUser(served.url);
    const parameters = { type: 'object', properties: { text: { type: 'string' } } };
    const script = { description: 'From its file.', parameters, runtime: 'javascript' };
    await createTool(
      client,
      { 'tool.json': JSON.stringify(script), 'main.js': 'export default () => 1' },
      { key: 'usable' },
    );
    await createTool(client, { 'tool.json': JSON.stringify({ parameters, runtime: 'http' }) }, { key: 'half_done' });
    const request = { 'tool.json': JSON.stringify({ parameters, runtime: 'http', integration: 'None' }) };
    const http = { 'http.json': JSON.stringify({ method: 'GET', url: 'https://e.com/{{ text }}' }) };
    await createTool(client, { ...request, ...http }, { key: 'without_integration' });
    const server = await client.post<Shown>('/api/mcp-servers', {
      name: 'Tickets',
      url: 'https://mcp.example.com/mcp',
    });
    const fetched = ['one', 'two'].map((name) => ({
      name,
      description: 'Finds.',
      inputSchema: parameters,
      annotations: {},
    }));
    await served.api.database.system.query('update mcp_servers set tools = $2 where id = $1', [
      server.json.id,
      JSON.stringify(fetched),
    ]);
    const tools = ['usable', 'half_done', 'without_integration', 'kubernetes', 'mcp'];
    const mcps = [{ id: server.json.id, tools: ['two'] }];
    const prompt = await promptOf(client, await createAgent(client, { tools, mcps }));
    const offered = { name: 'usable', description: script.description, parameters };
    expect(prompt.tools).toEqual([
      { name: 'usable', is_whole: true, estimated_tokens: estimateToolTokens([offered]) },
      { name: 'mcp__Tickets__two', is_whole: true, estimated_tokens: expect.any(Number) },
    ]);
    expect((await promptOf(client, await createAgent(client, { tools: ['usable'], mcps }))).tools).toHaveLength(1);
  });

  test('shows that of a template, with its skills', async () => {
    const { client } = await registerUser(served.url);
    const template = builtinAgents.find(({ key }) => key === 'architect');
    const prompt = await promptOf(client, template?.id ?? '');
    expect(prompt.skills.map(({ key }) => key)).toEqual(template?.skills);
    expect(prompt.parts.map(({ name }) => name)).toEqual(['soul', 'agent', 'skills']);
  });

  test('names the agents that can be delegated to, for agents that list the tool among their skills too', async () => {
    const { client } = await registerUser(served.url);
    await createAgent(client, { name: 'Scout' });
    const prompt = await promptOf(client, await createAgent(client, { skills: ['agent_spawn'] }));
    expect(prompt.parts.at(-1)).toMatchObject({ name: 'tool_instructions', text: expect.stringContaining('- Scout') });
    expect(prompt.tools.map(({ name }) => name)).toEqual(['agent_spawn']);
  });

  test('shows what a turn of the caller would get, and no text that the caller may not view', async () => {
    const owner = await registerUser(served.url);
    const id = await createAgent(owner.client, { soul: { tone: 'dry' }, skills: ['summarize', 'bash'] });
    await owner.client.post(`/api/agents/${id}/memories`, { content: 'Likes tea.', type: 'fact' });
    const { client } = await restrictedColleague(owner, {
      permissions: ['agents.view'],
      capabilities: { skill_keys: ['bash'] },
    });
    const prompt = await promptOf(client, id);
    expect(prompt.parts.map(({ name, text }) => [name, text])).toEqual([
      ['soul', null],
      ['skills', null],
    ]);
    expect(prompt.skills.map(({ key }) => key)).toEqual(['bash']);
    expect((await promptOf(owner.client, id)).parts.map(({ name }) => name)).toEqual(['soul', 'skills', 'memories']);
  });
});

describe('the defaults of a persona', () => {
  test('are taken over as far as the creator may give them to an agent, who gets a list of the others', async () => {
    const owner = await registerUser(served.url);
    const persona = {
      default_tools: ['time_now', 'file_read', 'none'],
      default_skills: ['agent_spawn', 'summarize', 'bash', 'nothing'],
    };
    const { json } = await owner.client.post<Shown>('/api/personas', { key: 'ada', name: 'Ada', ...persona });
    const { client } = await restrictedColleague(owner, {
      permissions: ['agents.manage', 'personas.view'],
      capabilities: { tool_keys: ['file_read'], skill_keys: ['agent_spawn', 'bash'] },
    });
    const created = await client.post('/api/agents', { name: 'A', persona_id: json.id });
    expect([created.status, created.json]).toEqual([
      201,
      expect.objectContaining({ tools: ['file_read'], skills: ['bash'] }),
    ]);
    const problem = 'Your permission groups do not let you give it to an agent';
    expect(created.json).toMatchObject({
      left_out: {
        tools: [
          { key: 'time_now', problem },
          { key: 'none', problem: 'There is no tool of this key' },
        ],
        skills: [
          { key: 'agent_spawn', problem },
          { key: 'summarize', problem },
          { key: 'nothing', problem: 'There is no skill of this key' },
        ],
      },
    });
    // Only the answer says so, and a record with it can be sent back.
    const { id } = created.json as { id: string };
    const kept = await client.patch(`/api/agents/${id}`, created.json);
    expect([kept.status, kept.json]).toEqual([200, expect.not.objectContaining({ left_out: expect.anything() })]);
    const own = await client.post('/api/agents', { name: 'B', persona_id: json.id, tools: [], skills: [] });
    expect([own.status, own.json]).toEqual([201, expect.not.objectContaining({ left_out: expect.anything() })]);
  });
});
