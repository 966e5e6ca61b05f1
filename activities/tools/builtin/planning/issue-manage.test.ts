import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { parseOrgLimits } from '../../../../domain/orgs.ts';
import { type Policy, policyOf } from '../../../../domain/permissions/policy.ts';
import { createAgent, registerUser, type TestUser } from '../../../../test/support/factories.ts';
import { serveTestApi } from '../../../../test/support/serve-test-api.ts';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import { userIssues } from '../../operations/user-issues.ts';
import type { ToolArguments } from '../../tool.ts';
import { issueManage } from './issue-manage.ts';

interface Shown {
  readonly id: string;
  readonly title: string;
  readonly number: number;
}

const served = serveTestApi();
let tools: TestTools;
let user: TestUser;
let agentId: string;
let projectId: string;
let chatId: string;

beforeAll(async () => {
  tools = await createTestTools({ database: served.api.database });
  user = await registerUser(served.url);
  agentId = await createAgent(user.client, { name: 'Builder' });
  projectId = (await user.client.post<Shown>('/api/projects', { name: 'Website' })).json.id;
  const chat = { agent_id: agentId, project_id: projectId };
  chatId = (await user.client.post<Shown>('/api/chats', chat)).json.id;
});
afterAll(() => tools.close());

interface CallOptions {
  readonly chatId?: string;
  readonly policy?: Policy;
  readonly key?: string;
  readonly hasForeignText?: boolean;
}

async function run(args: ToolArguments, options: CallOptions = {}) {
  const { policy = policyOf('member', []), key: idempotencyKey = uuidv7(), hasForeignText = false } = options;
  const own = { orgId: user.orgId, userId: user.id, agentId, callId: idempotencyKey };
  const scope = { ...own, policy, chatId: options.chatId ?? chatId };
  const deps = { database: served.api.database, orgLimits: parseOrgLimits('') };
  const issues = userIssues(deps, scope, new AbortController().signal);
  return prepareCall(issueManage, args).run({ ...tools.context, issues, idempotencyKey, hasForeignText });
}

const call = async <T = Shown>(args: ToolArguments, options?: CallOptions) => (await run(args, options)).value as T;

describe('issue_manage', () => {
  test('adds one issue for each call to the project of the chat, however often the call is repeated', async () => {
    const args = { action: 'create', title: 'A menu', labels: ['ui', 'ui'], assigned_agent_id: agentId };
    const key = uuidv7();
    const [one, two] = [await call(args, { key }), await call(args, { key })];
    expect(two).toEqual(one);
    expect(one).toMatchObject({ id: key, project_id: projectId, status: 'backlog', labels: ['ui'], author: 'Builder' });
    const { json } = await user.client.get(`/api/issues/${key}`);
    expect(json).toMatchObject({ user_id: user.id, agent_id: agentId, agent_name: 'Builder', title: 'A menu' });
    const { json: log } = await user.client.get<{ record_id: string }[]>(`/api/projects/${projectId}/logs`);
    const entries = log.filter(({ record_id: id }) => id === key);
    expect(entries).toMatchObject([{ action: 'created', user_id: user.id, agent_id: agentId, agent_name: 'Builder' }]);
  });

  test('reads, changes and comments, once for each call', async () => {
    const { id } = await call({ action: 'create', title: 'A logo' });
    expect(await call({ action: 'update', issue_id: id.toUpperCase(), status: 'in_progress' })).toMatchObject({
      id,
      status: 'in_progress',
      title: 'A logo',
    });
    const key = uuidv7();
    for (let times = 0; times < 2; times += 1)
      await call({ action: 'comment', issue_id: id, comment: 'Half done' }, { key });
    expect(await call({ action: 'get', issue_id: id })).toMatchObject({
      status: 'in_progress',
      comments: [{ content: 'Half done', author: 'Builder' }],
      comment_count: 1,
    });
    const { json } = await user.client.get(`/api/issues/${id}/comments`);
    expect(json).toMatchObject([{ id: key, user_id: user.id, agent_id: agentId }]);
  });

  test('lists by status, label and words, and the projects where the chat is in none', async () => {
    const { id } = await call({ action: 'create', title: 'The armadillo', labels: ['animal'] });
    for (const filter of [{ query: 'armadil' }, { labels: ['animal'] }, { query: 'armadillo', status: 'backlog' }])
      expect(await call({ action: 'list', ...filter })).toMatchObject({ total: 1, issues: [{ id }] });
    expect(await call({ action: 'list', query: 'armadillo', status: 'done' })).toMatchObject({ total: 0, issues: [] });
    const { json } = await user.client.post<Shown>('/api/chats', { agent_id: agentId });
    const plain = { chatId: json.id };
    expect(await call({ action: 'list', query: 'armadillo' }, plain)).toMatchObject({
      total: 1,
      projects: [{ id: projectId, name: 'Website' }],
    });
    await expect(call({ action: 'create', title: 'x' }, plain)).rejects.toMatchObject({ kind: 'invalid_input' });
    expect(await call({ action: 'create', title: 'x', project_id: projectId }, plain)).toMatchObject({ title: 'x' });
  });

  test('gives an issue to no agent that the user may not use, and reaches nothing of another organization', async () => {
    const groups = { agentIds: [agentId], skillKeys: [], toolKeys: [], personaIds: [], providerIds: [], chainIds: [] };
    const limits = { tokenBudget: 0, tokenWindowHours: 0, maxConcurrentAgents: 0, maxProviderAccounts: 0 };
    const group = { id: 'g', permissions: ['issues.manage'], limits, allowlists: groups, defaultChainId: null };
    const policy = policyOf('member', [group]);
    const other = await createAgent(user.client);
    const given = { action: 'create', title: 'x', assigned_agent_id: other };
    await expect(call(given, { policy })).rejects.toMatchObject({ kind: 'not_found', message: 'Agent not found' });
    const stranger = await registerUser(served.url);
    const theirs = (await stranger.client.post<Shown>('/api/projects', { name: 'Theirs' })).json.id;
    const issue = (await stranger.client.post<Shown>('/api/issues', { project_id: theirs, title: 'x' })).json.id;
    for (const args of [
      { action: 'create', title: 'x', project_id: theirs },
      { action: 'get', issue_id: issue },
      { action: 'update', issue_id: issue, title: 'y' },
      { action: 'comment', issue_id: issue, comment: 'y' },
    ])
      await expect(call(args)).rejects.toMatchObject({ kind: 'not_found' });
    expect(await call({ action: 'list', project_id: theirs })).toMatchObject({ total: 0 });
  });

  test('marks what may repeat text from outside, and continues to do so', async () => {
    const foreign = { hasForeignText: true };
    const { id } = await call({ action: 'create', title: 'From a page' }, foreign);
    const said = await call({ action: 'create', title: 'Our own' });
    expect(await run({ action: 'get', issue_id: said.id })).toMatchObject({ isForeign: false });
    await call({ action: 'comment', issue_id: said.id, comment: 'quoted' }, foreign);
    for (const issue of [id, said.id])
      expect(await run({ action: 'get', issue_id: issue })).toMatchObject({ isForeign: true });
    expect(await run({ action: 'list', query: 'From a page' })).toMatchObject({ isForeign: true });
  });

  test.each([
    { action: 'create' },
    { action: 'create', title: ' ' },
    { action: 'create', title: 'two\nlines' },
    { action: 'create', title: 'x', labels: ['two\nlines'] },
    { action: 'get' },
    { action: 'update' },
    { action: 'comment', issue_id: '019aa4c7-5d10-7cf3-9a5e-3f1f6c0b8d21' },
  ])('says what is missing or wrong in %j', async (args) => {
    await expect(call(args)).rejects.toMatchObject({ kind: 'invalid_input' });
  });

  test.each([
    ['list', 'read'],
    ['get', 'read'],
    ['create', 'keyed'],
    ['update', 'keyed'],
    ['comment', 'keyed'],
  ])('of the action %s is %s', (action, effect) => {
    expect(prepareCall(issueManage, { action }).effect).toBe(effect);
  });
});
