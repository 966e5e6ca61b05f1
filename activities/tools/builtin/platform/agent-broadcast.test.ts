import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { type Policy, policyOf } from '../../../../domain/permissions/policy.ts';
import { type ToolCaller, callFor } from '../../../../test/support/calls-for.ts';
import { createAgent, createChat, registerUser, type TestUser } from '../../../../test/support/factories.ts';
import { serveTestApi } from '../../../../test/support/serve-test-api.ts';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import { agentBroadcast } from './agent-broadcast.ts';

const served = serveTestApi();
let tools: TestTools;
let user: TestUser;
let ids: Record<'lead' | 'one' | 'two', string>;
let chatId: string;

beforeAll(async () => {
  tools = await createTestTools({ database: served.api.database });
  user = await registerUser(served.url);
  const add = async (name: string) => createAgent(user.client, { name });
  ids = { lead: await add('Lead'), one: await add('One'), two: await add('Two') };
  chatId = await createChat(user.client, ids.lead);
});
afterAll(() => tools.close());

interface Sent {
  readonly plan_id: string;
  readonly answers: readonly { readonly task_id: string; readonly agent_id: string }[];
}

async function call(args: Record<string, unknown>, caller: Partial<ToolCaller> = {}) {
  const own = { orgId: user.orgId, userId: user.id, agentId: ids.lead, chatId, ...caller };
  return callFor({ database: served.api.database, tools }, own, agentBroadcast, { message: 'Hello\nall', ...args });
}

async function addProject(agentIds: readonly string[]): Promise<string> {
  const { json } = await user.client.post<{ id: string }>('/api/projects', { name: `Project ${uuidv7()}` });
  await user.client.send('PUT', `/api/projects/${json.id}/agents`, { agent_ids: agentIds });
  return json.id;
}

function bound(...agentIds: string[]): Policy {
  const lists = { agentIds, skillKeys: [], toolKeys: [], personaIds: [], providerIds: [], chainIds: [] };
  const limits = { tokenBudget: 0, tokenWindowHours: 0, maxConcurrentAgents: 0, maxProviderAccounts: 0 };
  const permissions = ['tasks.manage', 'projects.view'];
  return policyOf('member', [{ id: 'g', permissions, limits, allowlists: lists, defaultChainId: null }]);
}

describe('agent_broadcast', () => {
  test('gives each agent one task, however often the call is repeated', async () => {
    const key = uuidv7();
    const to = { agent_ids: ['one', ids.two] };
    const [sent, again] = [(await call(to, { key })).value as Sent, (await call(to, { key })).value as Sent];
    expect(sent.answers.map(({ agent_id: agentId }) => agentId)).toEqual([ids.one, ids.two]);
    expect(again.answers.map(({ task_id: id }) => id)).toEqual(sent.answers.map(({ task_id: id }) => id));
    const { json } = await user.client.get(`/api/tasks/${sent.answers[0]?.task_id}`);
    expect(json).toMatchObject({ title: 'Hello', description: 'Hello\nall', status: 'in_progress', chat_id: chatId });
    const audit = await user.client.get(`/api/audit?record_id=${sent.plan_id}`);
    const related = { related_ids: [ids.lead, chatId, ids.one, ids.two], fields: ['message', 'agent_ids'] };
    expect(audit.json).toMatchObject([{ action: 'tasks.create', actor_id: user.id, ip: 'agent', ...related }]);
  });

  test('goes to the other agents of a project, those that its user may use', async () => {
    const projectId = await addProject([ids.two, ids.lead, ids.one]);
    const sent = (await call({ project_id: projectId })).value as Sent;
    expect(sent.answers.map(({ agent_id: agentId }) => agentId)).toEqual([ids.two, ids.one]);
    const some = (await call({ project_id: projectId }, { policy: bound(ids.lead, ids.one) })).value as Sent;
    expect(some.answers.map(({ agent_id: agentId }) => agentId)).toEqual([ids.one]);
    const alone = await addProject([ids.lead]);
    await expect(call({ project_id: alone })).rejects.toMatchObject({ kind: 'not_found' });
  });

  test('reaches no agent and no project of others, and none without the permission', async () => {
    const stranger = await registerUser(served.url);
    const theirs = await createAgent(stranger.client, { name: 'Theirs' });
    await expect(call({ agent_ids: [theirs] })).rejects.toMatchObject({ kind: 'not_found' });
    await expect(call({ agent_ids: ['Two'] }, { policy: bound(ids.one) })).rejects.toMatchObject({ kind: 'not_found' });
    const projectId = await addProject([ids.one]);
    const elsewhere = { orgId: stranger.orgId, userId: stranger.id };
    await expect(call({ project_id: projectId }, elsewhere)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(call({ project_id: projectId }, { policy: null })).rejects.toMatchObject({ kind: 'denied' });
    await expect(call({ agent_ids: ['One'] }, { policy: null })).rejects.toMatchObject({ kind: 'denied' });
  });

  test('is denied to an agent that works for another one, so that messages do not go round', async () => {
    const below = { belowId: uuidv7() };
    await expect(call({ agent_ids: ['One'] }, below)).rejects.toMatchObject({ kind: 'denied' });
  });

  test('waits for answers as long as requested', async () => {
    const sent = (await call({ agent_ids: ['One'], wait: true, timeout_s: 1 })).value as Sent;
    expect(sent.answers).toMatchObject([{ status: 'in_progress', answer: null }]);
  });

  test('says that what it sends may repeat text from outside', async () => {
    expect(await call({ agent_ids: ['One'] }, { hasForeignText: true })).toMatchObject({ isForeign: true });
  });

  test.each([
    {},
    { agent_ids: ['One'], project_id: uuidv7() },
    { agent_ids: [] },
    { agent_ids: ['One'], message: ' ' },
  ])('says what is wrong in %j', async (args) => {
    await expect(call(args)).rejects.toMatchObject({ kind: 'invalid_input' });
  });

  test('asks a person before it goes to many', () => {
    const ofCount = (length: number) => ({
      message: 'm',
      agent_ids: Array.from({ length }, (_, index) => `a${index}`),
    });
    expect(prepareCall(agentBroadcast, ofCount(5))).toMatchObject({ approval: 'never', effect: 'keyed' });
    expect(prepareCall(agentBroadcast, ofCount(6))).toMatchObject({ approval: 'writes' });
    expect(prepareCall(agentBroadcast, { message: 'm', project_id: uuidv7() })).toMatchObject({ approval: 'writes' });
  });
});
