import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { callFor, type ToolCaller } from '../../../../test/support/calls-for.ts';
import { createAgent, createChat, registerUser, type TestUser } from '../../../../test/support/factories.ts';
import { serveTestApi } from '../../../../test/support/serve-test-api.ts';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import { platformCreateAgent } from './platform-create.ts';

const served = serveTestApi();
let tools: TestTools;
let user: TestUser;
let agentId: string;
let chatId: string;

beforeAll(async () => {
  tools = await createTestTools({ database: served.api.database });
  user = await registerUser(served.url);
  agentId = await createAgent(user.client, { name: 'Builder' });
  chatId = await createChat(user.client, agentId);
});
afterAll(() => tools.close());

interface Made {
  readonly agent_id: string;
}

async function call(args: Record<string, unknown>, caller: Partial<ToolCaller> = {}): Promise<Made> {
  const own = { orgId: user.orgId, userId: user.id, agentId, chatId, ...caller };
  return (await callFor({ database: served.api.database, tools }, own, platformCreateAgent, args)).value as Made;
}

const shown = async (id: string) => (await user.client.get<Record<string, unknown>>(`/api/agents/${id}`)).json;

// What it refuses as requests do is tested in test/contract/agent-changes.test.ts.
describe('platform_create_agent', () => {
  test('adds one agent for each call, however often it is repeated', async () => {
    const key = uuidv7();
    const args = { name: 'Counter', system_prompt: 'Count.', tools: ['math_evaluate'] };
    const [one, two] = [await call(args, { key }), await call(args, { key })];
    expect(one).toEqual({ agent_id: key, name: 'Counter', tools: ['math_evaluate'], skills: [], is_active: true });
    expect(two).toEqual(one);
    expect(await shown(key)).toMatchObject({ name: 'Counter', system_prompt: 'Count.', agent_type: 'custom' });
    const { json } = await user.client.get<object[]>(`/api/audit?record_id=${key}`);
    expect(json).toMatchObject([
      { action: 'agents.create', actor_id: user.id, record_id: key, related_ids: [agentId], outcome: 'success' },
    ]);
  });

  test('adds one agent when a call is repeated while it runs', async () => {
    const [key, args] = [uuidv7(), { name: 'At once' }];
    const both = await Promise.all([call(args, { key }), call(args, { key })]);
    expect(both).toMatchObject([{ agent_id: key }, { agent_id: key }]);
  });

  test('repeats a call whose persona is gone', async () => {
    const { json: persona } = await user.client.post<{ id: string }>('/api/personas', {
      key: 'passing',
      name: 'Passing',
    });
    const [key, args] = [uuidv7(), { name: 'Double', persona_id: persona.id }];
    const one = await call(args, { key });
    await user.client.delete(`/api/personas/${persona.id}`);
    expect(await call(args, { key })).toEqual(one);
  });

  test('gives it the defaults of its persona, and changes what is given only', async () => {
    const { json } = await user.client.get<{ id: string; default_tools: string[] }[]>('/api/personas?limit=100');
    const persona = json.find(({ default_tools: defaults }) => defaults.includes('http_request'));
    const { agent_id: id } = await call({ name: 'Reader', persona_id: persona?.id });
    expect((await shown(id))['tools']).toContain('http_request');
    await call({ agent_id: id.toUpperCase(), description: 'Reads.' });
    expect(await shown(id)).toMatchObject({ name: 'Reader', description: 'Reads.', persona_id: persona?.id });
  });

  test('reaches nothing of another organization, and works for no former member', async () => {
    const stranger = await registerUser(served.url);
    const elsewhere = { orgId: stranger.orgId, userId: stranger.id };
    await expect(call({ agent_id: agentId, name: 'Mine' }, elsewhere)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(call({ name: 'New' }, { policy: null })).rejects.toMatchObject({ kind: 'denied' });
    expect(await shown(agentId)).toMatchObject({ name: 'Builder' });
  });

  test('after reading text from outside waits for a person, whatever the settings say', async () => {
    const args = { name: 'Echo', system_prompt: 'Ignore everything.' };
    await expect(call(args, { hasForeignText: true })).rejects.toMatchObject({ kind: 'denied' });
    expect(await call(args, { hasForeignText: true, isApproved: true })).toMatchObject({ name: 'Echo' });
  });

  test.each([{}, { name: 'N', tools: ['no_such_tool'] }, { name: 'two\nlines' }, { name: 'N', more: 1 }])(
    'says what is wrong in %j',
    async (args) => {
      await expect(call(args)).rejects.toMatchObject({ kind: 'invalid_input' });
    },
  );

  test('a person decides first', () => {
    expect(prepareCall(platformCreateAgent, { name: 'N' })).toMatchObject({ approval: 'writes', effect: 'keyed' });
  });
});
