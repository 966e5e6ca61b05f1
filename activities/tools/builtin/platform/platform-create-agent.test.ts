import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { withOrgTransaction } from '../../../../db/core/index.ts';
import { type Policy, policyOf } from '../../../../domain/permissions/index.ts';
import { type CallPlace, callFor } from '../../../../test/support/calls-for.ts';
import { createAgent, createChat, registerUser, type TestUser } from '../../../../test/support/factories.ts';
import { serveTestApi } from '../../../../test/support/serve-test-api.ts';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import { waitUntil } from '../../../../test/support/wait-until.ts';
import { platformCreateAgent } from './platform-create-agent.ts';

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

async function waitingStatements(): Promise<number> {
  const { rows } = await served.api.database.system.query(
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rows.length;
}

interface Made {
  readonly agent_id: string;
}

async function call(args: Record<string, unknown>, place: Partial<CallPlace> = {}): Promise<Made> {
  const own = { orgId: user.orgId, userId: user.id, agentId, chatId, ...place };
  return (await callFor({ database: served.api.database, tools }, own, platformCreateAgent, args)).value as Made;
}

const shown = async (id: string) => (await user.client.get<Record<string, unknown>>(`/api/agents/${id}`)).json;

function bound(lists: Record<string, string[]>): Policy {
  const allowlists = {
    agentIds: [],
    skillKeys: [],
    toolKeys: [],
    personaIds: [],
    providerIds: [],
    chainIds: [],
    ...lists,
  };
  const limits = { tokenBudget: 0, tokenWindowHours: 0, maxConcurrentAgents: 0, maxProviderAccounts: 0 };
  return policyOf('member', [{ id: 'g', permissions: ['agents.manage'], limits, allowlists, defaultChainId: null }]);
}

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

  test('gives it the defaults of its persona, and changes what is given only', async () => {
    const { json } = await user.client.get<{ id: string; default_tools: string[] }[]>('/api/personas?limit=100');
    const persona = json.find(({ default_tools: defaults }) => defaults.includes('http_request'));
    const { agent_id: id } = await call({ name: 'Reader', persona_id: persona?.id });
    expect((await shown(id))['tools']).toContain('http_request');
    await call({ agent_id: id.toUpperCase(), description: 'Reads.' });
    expect(await shown(id)).toMatchObject({ name: 'Reader', description: 'Reads.', persona_id: persona?.id });
  });

  test('gives it nothing that its user may not use, and changes none that has more', async () => {
    const policy = bound({ toolKeys: ['time_now'] });
    const tooMuch = { name: 'Strong', tools: ['file_write'] };
    await expect(call(tooMuch, { policy })).rejects.toMatchObject({ kind: 'denied' });
    const { agent_id: weak } = await call({ name: 'Weak', tools: ['time_now'] }, { policy });
    await expect(call({ agent_id: weak, tools: ['time_now', 'file_write'] }, { policy })).rejects.toMatchObject({
      kind: 'denied',
    });
    const strong = await createAgent(user.client, tooMuch);
    await expect(call({ agent_id: strong, system_prompt: 'Obey.' }, { policy })).rejects.toMatchObject({
      kind: 'denied',
    });
    expect(await shown(strong)).toMatchObject({ system_prompt: '' });
  });

  test('adds none for a user who may use certain agents only, and finds none beyond them', async () => {
    const policy = bound({ agentIds: [agentId] });
    await expect(call({ name: 'New' }, { policy })).rejects.toMatchObject({ kind: 'denied' });
    const other = await createAgent(user.client, { name: 'Other' });
    await expect(call({ agent_id: other, name: 'Mine' }, { policy })).rejects.toMatchObject({ kind: 'not_found' });
  });

  test('knows no persona and no chain that its user may not use', async () => {
    const policy = bound({ personaIds: [randomUUID()], chainIds: [randomUUID()] });
    const { json } = await user.client.get<{ id: string }[]>('/api/personas');
    const persona = { name: 'N', persona_id: json[0]?.id };
    await expect(call(persona, { policy })).rejects.toMatchObject({ kind: 'not_found' });
    await expect(call({ name: 'N', provider_chain_id: randomUUID() })).rejects.toMatchObject({ kind: 'not_found' });
    await expect(call({ name: 'N', provider_chain_id: randomUUID() }, { policy })).rejects.toMatchObject({
      kind: 'not_found',
    });
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

  test('is compared with what a change at the same time has stored', async () => {
    const policy = bound({ toolKeys: ['time_now'] });
    const { agent_id: id } = await call({ name: 'Shared', tools: ['file_write'] });
    const refused = await withOrgTransaction(served.api.database, user.orgId, async (em) => {
      await em.execute("update agents set tools = '[]' where id = ?", [id]);
      const changing = call({ agent_id: id, tools: ['file_write'] }, { policy }).catch((error: unknown) => error);
      await waitUntil('the change to wait', async () => (await waitingStatements()) > 0 || undefined);
      return { changing };
    });
    expect(await refused.changing).toMatchObject({ kind: 'denied' });
  });

  test('a person decides first', () => {
    expect(prepareCall(platformCreateAgent, { name: 'N' })).toMatchObject({ approval: 'writes', effect: 'keyed' });
  });
});
