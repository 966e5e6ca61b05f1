import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Policy, policyOf } from '../../../../domain/permissions/policy.ts';
import { type ToolCaller, callFor } from '../../../../test/support/calls-for.ts';
import {
  createAgent,
  createChat,
  createProvider,
  registerUser,
  type TestUser,
} from '../../../../test/support/factories.ts';
import { serveTestApi } from '../../../../test/support/serve-test-api.ts';
import { createTestTools, type TestTools } from '../../../../test/support/tool-context.ts';
import { platformInspect } from './platform-inspect.ts';

const served = serveTestApi();
let tools: TestTools;
let user: TestUser;
let agentId: string;
let otherId: string;
let chatId: string;

beforeAll(async () => {
  tools = await createTestTools({ database: served.api.database });
  user = await registerUser(served.url);
  agentId = await createAgent(user.client, { name: 'Builder', description: 'Builds things.', system_prompt: 'Build.' });
  otherId = await createAgent(user.client, { name: 'Other', description: 'x'.repeat(400) });
  chatId = await createChat(user.client, agentId);
  await createProvider(user.client, 'https://model.example.com', { name: 'Ours' });
  await user.client.post('/api/projects', { name: 'Shed' });
  await user.client.post('/api/workflows', { name: 'Report', agent_id: otherId, prompt_template: 'Write' });
});
afterAll(() => tools.close());

async function inspect<T = Record<string, readonly Record<string, unknown>[]>>(
  args: Record<string, unknown>,
  caller: Partial<ToolCaller> = {},
): Promise<T> {
  const own = { orgId: user.orgId, userId: user.id, agentId, chatId, ...caller };
  return (await callFor({ database: served.api.database, tools }, own, platformInspect, args)).value as T;
}

function bound(permissions: string[], agentIds: string[]): Policy {
  const allowlists = { agentIds, skillKeys: [], toolKeys: [], personaIds: [], providerIds: [], chainIds: [] };
  const limits = { tokenBudget: 0, tokenWindowHours: 0, maxConcurrentAgents: 0, maxProviderAccounts: 0 };
  return policyOf('member', [{ id: 'g', permissions, limits, allowlists, defaultChainId: null }]);
}

describe('platform_inspect', () => {
  test('lists what there is, shortened, and finds by name or description', async () => {
    const all = await inspect({ kind: 'agents' });
    expect(all).toMatchObject({ agents: [{ name: 'Builder' }, { name: 'Other' }], total: 2 });
    expect(String(all['agents']?.[1]?.['description'])).toHaveLength(301);
    expect(await inspect({ kind: 'agents', query: 'BUILDS' })).toMatchObject({ agents: [{ id: agentId }], total: 1 });
    expect(await inspect({ kind: 'tools', query: 'file_r' })).toMatchObject({ tools: [{ key: 'file_read' }] });
    expect(await inspect({ kind: 'tools', limit: 1 })).toMatchObject({ tools: [expect.anything()] });
  });

  test('shows one whole', async () => {
    expect(await inspect({ kind: 'agents', id: agentId.toUpperCase() })).toMatchObject({ system_prompt: 'Build.' });
    expect(
      String((await inspect<Record<string, unknown>>({ kind: 'agents', id: otherId }))['description']),
    ).toHaveLength(400);
  });

  test.each(['skills', 'personas', 'projects', 'workflows', 'schedules', 'providers', 'provider_chains'])(
    'shows %s without secrets',
    async (kind) => {
      const answer = await inspect({ kind });
      expect(answer[kind]).toEqual(expect.any(Array));
      expect(JSON.stringify(answer)).not.toContain('sk-test');
    },
  );

  test('shows what its user has used', async () => {
    expect(await inspect({ kind: 'usage' })).toEqual({ running_agents: 0, budgets: [] });
  });

  test('shows nothing that its user may not see', async () => {
    const policy = bound(['agents.view', 'schedules.view', 'projects.view'], [agentId]);
    expect(await inspect({ kind: 'agents' }, { policy })).toMatchObject({ agents: [{ id: agentId }], total: 1 });
    await expect(inspect({ kind: 'agents', id: otherId }, { policy })).rejects.toMatchObject({ kind: 'not_found' });
    expect(await inspect({ kind: 'workflows' }, { policy })).toMatchObject({ workflows: [], total: 0 });
    await expect(inspect({ kind: 'providers' }, { policy })).rejects.toMatchObject({ kind: 'denied' });
    await expect(inspect({ kind: 'agents' }, { policy: null })).rejects.toMatchObject({ kind: 'denied' });
    await expect(inspect({ kind: 'usage' }, { policy: null })).rejects.toMatchObject({ kind: 'denied' });
  });

  test('shows nothing of another organization', async () => {
    const stranger = await registerUser(served.url);
    const elsewhere = { orgId: stranger.orgId, userId: stranger.id };
    expect(await inspect({ kind: 'agents', query: 'Builder' }, elsewhere)).toMatchObject({ total: 0 });
    await expect(inspect({ kind: 'agents', id: agentId }, elsewhere)).rejects.toMatchObject({ kind: 'not_found' });
    expect(await inspect({ kind: 'projects' }, elsewhere)).toMatchObject({ total: 0 });
  });

  test('hides accounts that other members keep to themselves', async () => {
    const stranger = await registerUser(served.url);
    await createProvider(user.client, 'https://own.example.com', { name: 'Mine', shared: false });
    expect(await inspect({ kind: 'providers', query: 'mine' })).toMatchObject({ total: 1 });
    const theirs = await inspect({ kind: 'providers' }, { userId: stranger.id });
    expect(theirs).toMatchObject({ providers: [{ name: 'Ours', shared: true }], total: 1 });
  });
});
