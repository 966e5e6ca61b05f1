import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { planCreate } from '../../activities/tools/builtin/planning/plan-create.ts';
import { taskCreate, taskUpdate } from '../../activities/tools/builtin/planning/tasks.ts';
import { holdsKeyFor } from '../../activities/tools/toolset.ts';
import type { RunnableTool } from '../../activities/tools/runnable-tool.ts';
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

// Tasks are added and changed by requests, by agents, by plans of agents and by issues that are started, which refuse
// the same.

type Fields = Readonly<Record<string, unknown>>;

/** Who adds and changes tasks, and with which rights. */
interface Person {
  readonly user: TestUser;
  readonly chatId: string;
}

interface Entry {
  add(fields: Fields, by?: Person): Promise<Refusal>;
}

interface ChangingEntry extends Entry {
  change(id: string, fields: Fields, by?: Person): Promise<Refusal>;
  interrupt(id: string, by?: Person): Promise<Refusal>;
}

const PERMISSIONS = ['agents.view', 'tasks.manage', 'issues.manage', 'projects.manage'];
const served = serveTestApi();
let tools: TestTools;
let owner: TestUser;
let member: Person;
let groupPath: string;
let projectId: string;
/** A plan of the member. */
let planId: string;
/** An agent that the member may always use, and another. */
let agentIds: string[];

beforeAll(async () => {
  tools = await createTestTools({ database: served.api.database });
  owner = await registerUser(served.url);
  const grouped = await registerGrouped(served.api, owner, PERMISSIONS);
  ({ groupPath } = grouped);
  agentIds = [await createAgent(owner.client, { name: 'First' }), await createAgent(owner.client, { name: 'Other' })];
  projectId = (await owner.client.post<{ id: string }>('/api/projects', { name: 'Website' })).json.id;
  member = { user: grouped.member, chatId: await createChat(grouped.member.client, agentIds[0]) };
  planId = uuidv7();
  await call(planCreate, { goal: 'New', steps: [{ title: 'First' }] }, member, planId);
});
afterAll(() => tools.close());
afterEach(async () => restrict({}));

/** Gives the member these rights, and the agents of a list only. */
async function restrict({ permissions = PERMISSIONS, agents = [] as readonly string[] }): Promise<void> {
  const fields = { permissions, capabilities: { agent_ids: agents } };
  expect((await owner.client.patch(groupPath, fields)).status).toBe(200);
}

async function policyOf({ id: userId, orgId }: TestUser): Promise<Policy> {
  const policy = await withOrgTransaction(served.api.database, orgId, (em) => findPolicy(em, { orgId, userId }));
  if (policy === null) throw new Error('somebody has no policy');
  return policy;
}

async function call(tool: RunnableTool, args: Fields, { user, chatId }: Person, key = uuidv7()) {
  const { database } = served.api;
  const caller = { orgId: user.orgId, userId: user.id, agentId: agentIds[0] ?? '', chatId, key };
  return callFor({ database, tools }, { ...caller, policy: await policyOf(user) }, tool, args);
}

const changeByAgent = {
  change: async (id, { output: result, ...fields }, by = member) =>
    refusalOf(
      call(taskUpdate, { action: 'update', task_id: id, ...(result !== undefined && { result }), ...fields }, by),
    ),
  interrupt: async (id, by = member) => refusalOf(call(taskUpdate, { action: 'interrupt', task_id: id }, by)),
} as const satisfies Omit<ChangingEntry, 'add'>;

const ENTRIES = {
  'a request': {
    add: async (fields, { user, chatId } = member) =>
      refusalIn(user.client.post('/api/tasks', { chat_id: chatId, title: 'New', ...fields })),
    change: async (id, fields, { user } = member) => refusalIn(user.client.patch(`/api/tasks/${id}`, fields)),
    interrupt: async (id, { user } = member) => refusalIn(user.client.post(`/api/tasks/${id}/interrupt`)),
  },
  'an agent': {
    add: async (fields, by = member) => refusalOf(call(taskCreate, { title: 'New', ...fields }, by)),
    ...changeByAgent,
  },
} as const satisfies Record<string, ChangingEntry>;
const ALL = Object.keys(ENTRIES) as (keyof typeof ENTRIES)[];

const ADDING: Readonly<Record<string, Entry>> = {
  ...ENTRIES,
  'the plan of an agent': {
    add: async (fields, by = member) =>
      refusalOf(call(planCreate, { goal: 'New', steps: [{ title: 'First' }, { title: 'Next', ...fields }] }, by)),
  },
  'a further step of a plan': {
    add: async (fields, by = member) =>
      refusalOf(call(planCreate, { plan_id: planId, steps: [{ title: 'Next', ...fields }] }, by)),
  },
};

async function addTask(fields: Fields = {}, { user, chatId } = member): Promise<string> {
  const { json } = await user.client.post<{ id: string }>('/api/tasks', { chat_id: chatId, title: 'One', ...fields });
  return json.id;
}

const shown = async (id: string) => (await member.user.client.get<object>(`/api/tasks/${id}`)).json;
const sql = async (text: string, values: readonly unknown[]) => served.api.database.system.query(text, [...values]);

const NO_AGENT = ['not_found', expect.stringMatching(/^Agent .*not found$/)];
const NO_TASK = ['not_found', 'Task not found'];
const AT_WORK = ['conflict', 'An agent is working on the task; interrupt it first'];
const FULL = ['conflict', expect.stringContaining('the limit of 1 GB of issues, comments, tasks and runs')];

/** Does something while the organization holds as much work as it may. */
async function whenFull<T>(work: () => Promise<T>): Promise<T> {
  const add = 'insert into work_usage_changes (org_id, bytes) values ($1, $2)';
  await sql(add, [owner.orgId, 10 ** 12]);
  try {
    return await work();
  } finally {
    await sql(add, [owner.orgId, -(10 ** 12)]);
  }
}

describe('a new task', () => {
  const NOT_GIVEN = [
    { what: 'an unknown agent', fields: () => ({ assigned_agent_id: randomUUID() }), refusal: NO_AGENT },
    {
      what: 'an agent that the user may not use',
      agents: () => agentIds.slice(0, 1),
      fields: () => ({ assigned_agent_id: agentIds[1] }),
      refusal: NO_AGENT,
    },
    { what: 'a title of two lines', fields: () => ({ title: 'a\nb' }), refusal: ['unprocessable', expect.any(String)] },
    { what: 'a blank title', fields: () => ({ title: ' ' }), refusal: ['unprocessable', expect.any(String)] },
  ].flatMap(({ agents = () => [], ...rest }) => Object.keys(ADDING).map((entry) => ({ entry, agents, ...rest })));

  test.each(NOT_GIVEN)('does not get $what from $entry', async ({ entry, agents, fields, refusal }) => {
    await restrict({ agents: agents() });
    expect(await ADDING[entry]?.add(fields())).toEqual(refusal);
  });

  test.each(ALL)('waits for no task of others that %s names', async (entry) => {
    const chatId = await createChat(owner.client, agentIds[0]);
    const theirs = await addTask({}, { user: owner, chatId });
    for (const id of [theirs, randomUUID()]) expect(await ENTRIES[entry].add({ depends_on: [id] })).toEqual(NO_TASK);
  });

  test.each(Object.keys(ADDING))('is not added by %s where there is no room for it', async (entry) => {
    expect(await whenFull(async () => ADDING[entry]?.add({}))).toEqual(FULL);
  });

  test('is not added by the start of an issue where there is no room for it', async () => {
    const issue = { project_id: projectId, title: 'Broken', assigned_agent_id: agentIds[0] };
    const { client } = member.user;
    const { id } = (await client.post<{ id: string }>('/api/issues', issue)).json;
    const start = async () => refusalIn(client.post(`/api/issues/${id}/start`));
    expect(await whenFull(start)).toEqual(FULL);
    await restrict({ permissions: PERMISSIONS.filter((key) => key !== 'tasks.manage') });
    expect(await start()).toEqual(['forbidden', 'Starting an issue also requires the permission tasks.manage']);
    expect((await member.user.client.get(`/api/issues/${id}`)).json).toMatchObject({ status: 'backlog' });
  });

  test('is not added where the chat has as many as it may', async () => {
    const full = { ...member, chatId: await createChat(member.user.client, agentIds[0]) };
    const id = await addTask({}, full);
    await sql(
      `insert into tasks (id, org_id, chat_id, created_by, title, position)
        select gen_random_uuid(), org_id, chat_id, created_by, 'One of many', position || n || 'V'
        from tasks, generate_series(1, 4999) n where id = $1`,
      [id],
    );
    const refusal = ['conflict', 'The chat would have more than 5000 tasks; delete some, or use another chat'];
    for (const entry of Object.keys(ADDING).slice(0, 3)) expect(await ADDING[entry]?.add({}, full)).toEqual(refusal);
  });

  test('is added where nothing speaks against it, without an entry in the audit log', async () => {
    await restrict({ agents: agentIds.slice(1) });
    for (const { add } of Object.values(ADDING)) expect(await add({ assigned_agent_id: agentIds[1] })).toBeUndefined();
    const { json } = await owner.client.get('/api/audit?record_type=tasks&outcome=success');
    expect(json).toEqual([]);
  });

  test('is found by a repeated call of an agent after the agent that it named is gone', async () => {
    const gone = await createAgent(owner.client, { name: 'Soon gone' });
    const step = { title: 'New', assigned_agent_id: 'Soon gone' };
    const calls = [
      [taskCreate, step],
      [planCreate, { goal: 'New', steps: [step] }],
      [planCreate, { plan_id: planId, steps: [step] }],
    ] as const;
    const keyed = calls.map(([tool, args]) => [tool, args, uuidv7()] as const);
    const run = async () => {
      const outputs = [];
      for (const [tool, args, key] of keyed) outputs.push(await call(tool, args, member, key));
      return outputs.map(({ value }) => value as { readonly id?: string; readonly total?: number });
    };
    const before = await run();
    await owner.client.delete(`/api/agents/${gone}`);
    const after = await run();
    expect(after.map(({ id, total }) => ({ id, total }))).toEqual(before.map(({ id, total }) => ({ id, total })));
  });
});

describe('a task', () => {
  test.each(ALL)('is not changed by %s for somebody else', async (entry) => {
    const theirs = await addTask({}, { user: owner, chatId: await createChat(owner.client, agentIds[0]) });
    const stranger = await registerUser(served.url);
    const elsewhere = { user: stranger, chatId: await createChat(stranger.client) };
    const mine = await addTask();
    for (const [id, by] of [
      [theirs, member],
      [mine, elsewhere],
      [randomUUID(), member],
    ] as const) {
      expect(await ENTRIES[entry].change(id, { status: 'completed' }, by)).toEqual(NO_TASK);
      expect(await ENTRIES[entry].interrupt(id, by)).toEqual(NO_TASK);
    }
    expect(await shown(mine)).toMatchObject({ status: 'pending' });
  });

  test('is not changed without the right to change tasks', async () => {
    const id = await addTask();
    await restrict({ permissions: ['tasks.view'] });
    const { add, change } = ENTRIES['a request'];
    for (const refusal of [await add({}), await change(id, { status: 'completed' })])
      expect(refusal).toEqual(['forbidden', expect.stringContaining('tasks.manage')]);
    const policy = await policyOf(member.user);
    for (const tool of [taskCreate, taskUpdate, planCreate]) expect(holdsKeyFor(policy, tool, 'keyed')).toBe(false);
  });

  test.each(ALL)('takes from %s no state that may not follow', async (entry) => {
    const id = await addTask();
    const words = 'A task that is pending cannot become failed; it can become: in_progress, completed, cancelled';
    expect(await ENTRIES[entry].change(id, { status: 'failed' })).toEqual(['conflict', words]);
  });

  test.each(ALL)('is left to the agent that works on it by %s', async (entry) => {
    const id = await addTask({ assigned_agent_id: agentIds[0] });
    for (const fields of [{ status: 'completed' }, { output: 'Done' }])
      expect(await ENTRIES[entry].change(id, fields)).toEqual(AT_WORK);
    expect(await ENTRIES[entry].interrupt(id)).toBeUndefined();
  });

  test('may be sent back as it was shown, whoever works on it, and stays as it is', async () => {
    const gone = await createAgent(owner.client, { name: 'Gone' });
    const needed = await addTask();
    const waiting = await addTask({ depends_on: [needed, await addTask()], assigned_agent_id: gone });
    await owner.client.delete(`/api/agents/${gone}`);
    const atWork = await addTask({ assigned_agent_id: agentIds[0] });
    const done = await addTask({ parent_task_id: await addTask() });
    await ENTRIES['a request'].change(done, { status: 'completed', output: 'Done' });
    for (const id of [needed, waiting, atWork, done]) {
      const before = await shown(id);
      expect(await ENTRIES['a request'].change(id, { ...before })).toBeUndefined();
      expect(await shown(id)).toEqual(before);
    }
    expect(await ENTRIES['a request'].change(done, { output: null })).toBeUndefined();
    expect(await shown(done)).toMatchObject({ status: 'completed', output: null });
    expect(await ENTRIES['a request'].interrupt(atWork)).toBeUndefined();
  });

  test.each(ALL)('on which nobody works is not interrupted by %s', async (entry) => {
    expect(await ENTRIES[entry].interrupt(await addTask())).toEqual(['conflict', 'No agent is working on the task']);
  });

  test.each(ALL)('is compared by %s with what another change has stored in the meantime', async (entry) => {
    const { database } = served.api;
    const id = await addTask();
    const { change } = await withOrgTransaction(database, owner.orgId, async (em) => {
      await em.execute("update tasks set status = 'cancelled' where id = ?", [id]);
      const changing = ENTRIES[entry].change(id, { status: 'completed' });
      const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
      await waitUntil('the change to wait', async () => (await database.system.query(waiting)).rowCount || undefined);
      return { change: changing };
    });
    expect(await change).toEqual([
      'conflict',
      'A task that is cancelled cannot become completed; it can become: pending',
    ]);
  });

  test.each(ALL)('takes status and result from %s where nothing speaks against it', async (entry) => {
    const id = await addTask();
    expect(await ENTRIES[entry].change(id, { status: 'completed', output: 'Done' })).toBeUndefined();
    expect(await shown(id)).toMatchObject({ status: 'completed', output: 'Done' });
  });
});
