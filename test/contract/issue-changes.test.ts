import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { issueManage } from '../../activities/tools/builtin/planning/issue-manage.ts';
import { holdsKeyFor } from '../../activities/tools/toolset.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { findPolicy } from '../../db/permissions/for-turn.ts';
import type { Policy } from '../../domain/permissions/policy.ts';
import { callFor } from '../support/calls-for.ts';
import { createAgent, createChat, registerUser, type TestUser } from '../support/factories.ts';
import { registerGrouped } from '../support/people.ts';
import { type Refusal, refusalIn, refusalOf } from '../support/refusals.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import { createTestTools, type TestTools } from '../support/tool-context.ts';
import { waitUntil } from '../support/wait-until.ts';

// Issues are added, changed and commented on by requests and by agents, which refuse the same.

type Fields = Readonly<Record<string, unknown>>;

/** How the member adds, changes and comments on issues. */
interface Entry {
  add(fields: Fields): Promise<Refusal>;
  change(id: string, fields: Fields): Promise<Refusal>;
  comment(id: string, content: string): Promise<Refusal>;
}

interface Issue {
  readonly id: string;
  readonly number: number;
  readonly updated_at: string;
}

interface AuditEntry {
  readonly action: string;
  readonly record_id: string;
  readonly related_ids: readonly string[];
  readonly fields: readonly string[];
  readonly ip: string;
}

const PERMISSIONS = ['agents.view', 'issues.manage', 'projects.view'];
const served = serveTestApi();
let tools: TestTools;
let owner: TestUser;
let member: TestUser;
let groupPath: string;
let projectId: string;
let chatId: string;
/** The agent that makes calls, and another. */
let agentIds: string[];

beforeAll(async () => {
  tools = await createTestTools({ database: served.api.database });
  owner = await registerUser(served.url);
  ({ member, groupPath } = await registerGrouped(served.api, owner, PERMISSIONS));
  agentIds = [await createAgent(owner.client, { name: 'Caller' }), await createAgent(owner.client, { name: 'Other' })];
  chatId = await createChat(owner.client, agentIds[0]);
  projectId = await addProject(owner);
});
afterAll(() => tools.close());
afterEach(async () => restrict({}));

async function addProject({ client }: TestUser): Promise<string> {
  return (await client.post<{ id: string }>('/api/projects', { name: 'Website' })).json.id;
}

/** Gives the member these rights, and the agents of a list only. */
async function restrict({ permissions = PERMISSIONS, agents = [] as readonly string[] }): Promise<void> {
  const fields = { permissions, capabilities: { agent_ids: agents } };
  expect((await owner.client.patch(groupPath, fields)).status).toBe(200);
}

async function policyOfMember(): Promise<Policy> {
  const { id: userId, orgId } = member;
  const policy = await withOrgTransaction(served.api.database, orgId, (em) => findPolicy(em, { orgId, userId }));
  if (policy === null) throw new Error('the member has no policy');
  return policy;
}

async function call(args: Fields, given: { readonly key?: string; readonly hasForeignText?: boolean } = {}) {
  const { database } = served.api;
  const caller = { orgId: owner.orgId, userId: member.id, agentId: agentIds[0] ?? '', chatId };
  return callFor({ database, tools }, { ...caller, ...given, policy: await policyOfMember() }, issueManage, args);
}

const ENTRIES = {
  'a request': {
    add: async (fields) =>
      refusalIn(member.client.post('/api/issues', { project_id: projectId, title: 'New', ...fields })),
    change: async (id, fields) => refusalIn(member.client.patch(`/api/issues/${id}`, fields)),
    comment: async (id, content) => refusalIn(member.client.post(`/api/issues/${id}/comments`, { content })),
  },
  'an agent': {
    add: async (fields) => refusalOf(call({ action: 'create', project_id: projectId, title: 'New', ...fields })),
    change: async (id, fields) => refusalOf(call({ action: 'update', issue_id: id, ...fields })),
    comment: async (id, comment) => refusalOf(call({ action: 'comment', issue_id: id, comment })),
  },
} as const satisfies Record<string, Entry>;
const ALL = Object.keys(ENTRIES) as (keyof typeof ENTRIES)[];

async function addIssue(fields: Fields = {}): Promise<Issue> {
  return (await owner.client.post<Issue>('/api/issues', { project_id: projectId, title: 'One', ...fields })).json;
}

const shown = async (id: string) => (await owner.client.get<Issue>(`/api/issues/${id}`)).json;

const NO_AGENT = ['not_found', 'Agent not found'];
const NO_ISSUE = ['not_found', 'Issue not found'];
const INVALID = ['unprocessable', expect.any(String)];
const FULL = ['conflict', expect.stringContaining('the limit of 1 GB of issues, comments, tasks and runs')];

/** What neither a new issue nor a changed one gets. */
const NOT_GIVEN = [
  { what: 'an unknown agent', fields: () => ({ assigned_agent_id: randomUUID() }), refusal: NO_AGENT },
  {
    what: 'an agent that the user may not use',
    agents: () => agentIds.slice(0, 1),
    fields: () => ({ assigned_agent_id: agentIds[1] }),
    refusal: NO_AGENT,
  },
  { what: 'a title of two lines', fields: () => ({ title: 'a\nb' }), refusal: INVALID },
  { what: 'a blank title', fields: () => ({ title: ' ' }), refusal: INVALID },
  { what: 'a label of two lines', fields: () => ({ labels: ['a\nb'] }), refusal: INVALID },
  { what: 'too many labels', fields: () => ({ labels: Array.from({ length: 21 }, String) }), refusal: INVALID },
  { what: 'too long a description', fields: () => ({ description: 'x'.repeat(65_537) }), refusal: INVALID },
  { what: 'an unknown priority', fields: () => ({ priority: 'highest' }), refusal: INVALID },
].flatMap(({ agents = () => [], ...rest }) => ALL.map((entry) => ({ entry, agents, ...rest })));

/** Does something while the organization holds as much work as it may. */
async function whenFull<T>(work: () => Promise<T>): Promise<T> {
  const add = 'insert into work_usage_changes (org_id, bytes) values ($1, $2)';
  const { system } = served.api.database;
  await system.query(add, [owner.orgId, 10 ** 12]);
  try {
    return await work();
  } finally {
    await system.query(add, [owner.orgId, -(10 ** 12)]);
  }
}

describe('a new issue', () => {
  test.each(NOT_GIVEN)('does not get $what from $entry', async ({ entry, agents, fields, refusal }) => {
    await restrict({ agents: agents() });
    expect(await ENTRIES[entry].add(fields())).toEqual(refusal);
  });

  test.each(ALL)('is not added by %s to a project of another organization', async (entry) => {
    const theirs = await addProject(await registerUser(served.url));
    expect(await ENTRIES[entry].add({ project_id: theirs })).toEqual(['not_found', 'Project not found']);
  });

  test('of a repeated call is the one that it has added, whatever has changed since', async () => {
    const key = uuidv7();
    const args = { action: 'create', project_id: projectId, title: 'Once', assigned_agent_id: agentIds[1] };
    const { value } = await call(args, { key });
    await restrict({ agents: agentIds.slice(0, 1) });
    expect((await call(args, { key })).value).toMatchObject({ id: key, assigned_agent_name: 'Hidden agent' });
    expect((await addIssue()).number).toBe((value as Issue).number + 1);
  });
});

describe('an issue', () => {
  test.each(NOT_GIVEN)('does not get $what from $entry', async ({ entry, agents, fields, refusal }) => {
    const before = await addIssue();
    await restrict({ agents: agents() });
    expect(await ENTRIES[entry].change(before.id, fields())).toEqual(refusal);
    expect(await shown(before.id)).toEqual(before);
  });

  test.each(ALL)('keeps the agent that %s does not see', async (entry) => {
    const { id } = await addIssue({ assigned_agent_id: agentIds[1] });
    await restrict({ agents: agentIds.slice(0, 1) });
    expect(await ENTRIES[entry].change(id, { status: 'todo', assigned_agent_id: null })).toBeUndefined();
    expect(await shown(id)).toMatchObject({ status: 'todo', assigned_agent_id: agentIds[1] });
  });

  test.each(ALL)('of another organization is unknown to %s', async (entry) => {
    const stranger = await registerUser(served.url);
    const fields = { project_id: await addProject(stranger), title: 'Theirs' };
    const { id } = (await stranger.client.post<Issue>('/api/issues', fields)).json;
    for (const each of [id, randomUUID()]) {
      expect(await ENTRIES[entry].change(each, { status: 'done' })).toEqual(NO_ISSUE);
      expect(await ENTRIES[entry].comment(each, 'Ours')).toEqual(NO_ISSUE);
    }
  });

  test.each(ALL)('does not grow by %s where there is no room', async (entry) => {
    const { id } = await addIssue({ title: 'Long enough' });
    const { add, change, comment } = ENTRIES[entry];
    const refused = await whenFull(async () => [
      await add({}),
      await change(id, { title: 'Long enough, and longer' }),
      await comment(id, 'More'),
    ]);
    expect(refused).toEqual([FULL, FULL, FULL]);
    expect(await whenFull(async () => change(id, { title: 'Long' }))).toBeUndefined();
  });

  test.each(ALL)('gets no blank comment from %s, and others as they are written', async (entry) => {
    const { id } = await addIssue();
    expect(await ENTRIES[entry].comment(id, ' \n')).toEqual([
      'unprocessable',
      expect.stringContaining('must not be empty'),
    ]);
    expect(await ENTRIES[entry].comment(id, '    indented\n')).toBeUndefined();
    const { json } = await owner.client.get(`/api/issues/${id}/comments`);
    expect(json).toMatchObject([{ content: '    indented\n' }]);
  });

  test('is not changed without the right to change issues', async () => {
    const { id } = await addIssue();
    await restrict({ permissions: ['issues.view'] });
    const { add, change, comment } = ENTRIES['a request'];
    for (const refusal of [await add({}), await change(id, { status: 'done' }), await comment(id, 'x')])
      expect(refusal).toEqual(['forbidden', expect.stringContaining('issues.manage')]);
    expect(holdsKeyFor(await policyOfMember(), issueManage, 'keyed')).toBe(false);
  });

  test.each(ALL)('is another version once %s has changed it', async (entry) => {
    const { id, updated_at: version } = await addIssue();
    expect(await ENTRIES[entry].change(id, { status: 'todo' })).toBeUndefined();
    const stale = owner.client.send<{ detail: string }>(
      'PATCH',
      `/api/issues/${id}`,
      { status: 'done' },
      { 'if-match': `"${version}"` },
    );
    expect((await refusalIn(stale))?.[0]).toBe('precondition_failed');
    expect(await shown(id)).toMatchObject({ status: 'todo' });
  });

  test.each(ALL)('is compared by %s with what another change has stored in the meantime', async (entry) => {
    const { database } = served.api;
    const { id } = await addIssue();
    const { change } = await withOrgTransaction(database, owner.orgId, async (em) => {
      await em.execute("update issues set status = 'done' where id = ?", [id]);
      const changing = ENTRIES[entry].change(id, { status: 'todo' });
      const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
      await waitUntil('the change to wait', async () => (await database.system.query(waiting)).rowCount || undefined);
      return { change: changing };
    });
    expect(await change).toBeUndefined();
    const { json } = await owner.client.get(`/api/projects/${projectId}/logs?limit=1`);
    expect(json).toMatchObject([{ record_id: id, changes: { status: { from: 'done', to: 'todo' } } }]);
  });

  test('stays marked when an agent that has read text from outside has set its labels only', async () => {
    const { id } = await addIssue();
    const isForeign = async () => (await call({ action: 'get', issue_id: id })).isForeign;
    await call({ action: 'update', issue_id: id, status: 'todo' }, { hasForeignText: true });
    expect(await isForeign()).toBe(false);
    await call({ action: 'update', issue_id: id, labels: ['quoted'] }, { hasForeignText: true });
    expect(await isForeign()).toBe(true);
  });

  test('has the same entries in the audit log, whoever adds, changes and comments on it', async () => {
    const [agentId = '', assigned = ''] = agentIds;
    const entriesOf = async (recordId: string) => {
      const path = `/api/audit?actor_id=${member.id}&record_id=${recordId}`;
      return (await owner.client.get<AuditEntry[]>(path)).json.toReversed();
    };
    const create = { title: 'Told', labels: ['a'], assigned_agent_id: assigned };
    const byHand = (await member.client.post<Issue>('/api/issues', { project_id: projectId, ...create })).json.id;
    const byAgent = uuidv7();
    await call({ action: 'create', project_id: projectId, ...create }, { key: byAgent });
    for (const [id, entry] of [
      [byHand, 'a request'],
      [byAgent, 'an agent'],
    ] as const) {
      await ENTRIES[entry].change(id, { status: 'done' });
      await ENTRIES[entry].comment(id, 'Done.');
    }
    const [byMember, byModel] = [await entriesOf(byHand), await entriesOf(byAgent)];
    expect(byMember.map(({ action, fields }) => [action, fields.toSorted()])).toEqual([
      ['issues.create', ['assigned_agent_id', 'labels', 'project_id', 'title']],
      ['issues.update', ['status']],
      ['issue_comments.create', ['content']],
    ]);
    const comparable = (entries: readonly AuditEntry[], issueId: string) =>
      entries.map(({ action, fields, related_ids: related }) => ({
        action,
        fields: fields.toSorted(),
        related: related
          .filter((id) => id !== agentId)
          .map((id) => (id === issueId ? 'issue' : id))
          .toSorted(),
      }));
    expect(comparable(byModel, byAgent)).toEqual(comparable(byMember, byHand));
    for (const { ip, related_ids: related } of byModel)
      expect([ip, related]).toEqual(['agent', expect.arrayContaining([agentId])]);
  });
});
