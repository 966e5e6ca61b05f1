import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { type Policy, policyOf } from '../../../../domain/permissions/policy.ts';
import { type ToolCaller, callFor } from '../../../../test/support/calls-for.ts';
import { createAgent, createChat, registerUser, type TestUser } from '../../../../test/support/factories.ts';
import { serveTestApi } from '../../../../test/support/serve-test-api.ts';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import { workflowTrigger } from './workflow-trigger.ts';

const served = serveTestApi();
let tools: TestTools;
let user: TestUser;
let agentId: string;
let chatId: string;
let workflowId: string;

beforeAll(async () => {
  tools = await createTestTools({ database: served.api.database });
  user = await registerUser(served.url);
  agentId = await createAgent(user.client, { name: 'Builder' });
  chatId = await createChat(user.client, agentId);
  const workflow = { name: 'Report', agent_id: agentId, prompt_template: 'Sales of {{ month }}' };
  workflowId = (await user.client.post<{ id: string }>('/api/workflows', workflow)).json.id;
});
afterAll(() => tools.close());

interface ShownRun {
  readonly run_id: string;
}

async function call(args: Record<string, unknown>, caller: Partial<ToolCaller> = {}) {
  const own = { orgId: user.orgId, userId: user.id, agentId, chatId, ...caller };
  const given = { workflow_id: workflowId, ...args };
  return callFor({ database: served.api.database, tools }, own, workflowTrigger, given);
}

function bound(agent: string): Policy {
  const lists = { agentIds: [agent], skillKeys: [], toolKeys: [], personaIds: [], providerIds: [], chainIds: [] };
  const limits = { tokenBudget: 0, tokenWindowHours: 0, maxConcurrentAgents: 0, maxProviderAccounts: 0 };
  const group = { id: 'g', permissions: ['schedules.manage'], limits, allowlists: lists, defaultChainId: null };
  return policyOf('member', [group]);
}

describe('workflow_trigger', () => {
  test('starts one run for each call, which says that an agent has started it for its user', async () => {
    const key = uuidv7();
    const variables = { month: 'May' };
    const [one, two] = [await call({ variables }, { key }), await call({ variables }, { key })];
    const { run_id: runId } = one.value as ShownRun;
    expect(two.value).toMatchObject({ run_id: runId });
    const { json } = await user.client.get(`/api/workflows/${workflowId}/runs`);
    expect(json).toMatchObject([{ id: runId, triggered_by: 'agent', user_id: user.id, prompt: 'Sales of May' }]);
    expect(await call({ run_id: runId })).toMatchObject({
      value: { run_id: runId, output: null, missing_variables: [] },
    });
    const audit = await user.client.get('/api/audit?action=workflows.trigger');
    expect(audit.json).toMatchObject([
      { actor_id: user.id, ip: 'agent', record_id: workflowId, related_ids: [agentId], fields: ['variables'] },
    ]);
  });

  test('starts none in a run that an agent has started, so that runs do not start each other forever', async () => {
    const { run_id: runId } = (await call({ variables: { month: 'June' } })).value as ShownRun;
    const { json } = await user.client.get<{ chat_id: string }>(`/api/workflows/${workflowId}/runs/${runId}`);
    const inRun = { chatId: json.chat_id };
    await expect(call({ variables: { month: 'July' } }, inRun)).rejects.toMatchObject({ kind: 'invalid_input' });
    expect(await call({ run_id: runId }, inRun)).toMatchObject({ value: { run_id: runId } });
  });

  test('knows no workflow of another organization, nor one with an agent that its user may not use', async () => {
    const stranger = await registerUser(served.url);
    const elsewhere = { orgId: stranger.orgId, userId: stranger.id };
    await expect(call({}, elsewhere)).rejects.toMatchObject({ kind: 'not_found' });
    const other = await createAgent(user.client, { name: 'Other' });
    await expect(call({}, { policy: bound(other) })).rejects.toMatchObject({ kind: 'not_found' });
    const { run_id: runId } = (await call({ variables: { month: 'May' } })).value as ShownRun;
    await expect(call({ run_id: runId }, { policy: bound(other) })).rejects.toMatchObject({ kind: 'not_found' });
    await expect(call({ run_id: runId }, elsewhere)).rejects.toMatchObject({ kind: 'not_found' });
    expect(await call({ run_id: runId }, { policy: bound(agentId) })).toMatchObject({ value: { run_id: runId } });
  });

  test('starts nothing for somebody who is no member of the organization any more', async () => {
    const stranger = await registerUser(served.url);
    await expect(call({}, { userId: stranger.id, policy: null })).rejects.toMatchObject({ kind: 'not_found' });
  });

  test('says that a first prompt is empty without its values', async () => {
    const workflow = { name: 'Blank', agent_id: agentId, prompt_template: '{{ words }}' };
    const { json } = await user.client.post<{ id: string }>('/api/workflows', workflow);
    await expect(call({ workflow_id: json.id })).rejects.toMatchObject({ kind: 'invalid_input' });
  });

  test('only starting is a change', () => {
    expect(prepareCall(workflowTrigger, { workflow_id: workflowId })).toMatchObject({ effect: 'keyed' });
    expect(prepareCall(workflowTrigger, { workflow_id: workflowId, run_id: uuidv7() })).toMatchObject({
      effect: 'read',
    });
  });
});
