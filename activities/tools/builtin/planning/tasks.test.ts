import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { parseOrgLimits } from '../../../../domain/orgs.ts';
import { type Policy, policyOf } from '../../../../domain/permissions/policy.ts';
import { createAgent, createChat, registerUser, type TestUser } from '../../../../test/support/factories.ts';
import { serveTestApi } from '../../../../test/support/serve-test-api.ts';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import { userTasks } from '../../operations/user-tasks.ts';
import { waitUntil } from '../../../../test/support/wait-until.ts';
import type { RunnableTool } from '../../runnable-tool.ts';
import type { ToolArguments } from '../../tool.ts';
import { planCreate } from './plan-create.ts';
import { taskCreate, taskUpdate } from './tasks.ts';

interface Shown {
  readonly id: string;
  readonly title: string;
  readonly status: string;
}

interface Plan {
  readonly plan_id: string;
  readonly goal: string;
  readonly status: string;
  readonly steps: readonly (Shown & { readonly waits_for: readonly string[] })[];
}

interface Task extends Shown {
  readonly sub_chat_id: string | null;
  readonly parent_task_id: string | null;
}

const served = serveTestApi();
let tools: TestTools;
let user: TestUser;
let agentId: string;
let chatId: string;

beforeAll(async () => {
  tools = await createTestTools({ database: served.api.database });
  user = await registerUser(served.url);
  agentId = await createAgent(user.client, { name: 'Builder' });
});
beforeEach(async () => {
  chatId = await createChat(user.client, agentId);
});
afterAll(() => tools.close());

interface CallOptions {
  readonly policy?: Policy;
  readonly key?: string;
  readonly hasForeignText?: boolean;
  readonly belowId?: string;
  readonly limits?: string;
}

async function run(tool: RunnableTool, args: ToolArguments, options: CallOptions = {}) {
  const { policy = policyOf('member', []), key: idempotencyKey = uuidv7(), hasForeignText = false } = options;
  const { belowId = chatId } = options;
  const scope = { orgId: user.orgId, userId: user.id, policy, chatId, belowId };
  const deps = { database: served.api.database, orgLimits: parseOrgLimits(options.limits ?? '') };
  const tasks = userTasks(deps, scope, new AbortController().signal);
  return prepareCall(tool, args).run({ ...tools.context, tasks, idempotencyKey, hasForeignText });
}

const call = async <T = Shown>(tool: RunnableTool, args: ToolArguments, options?: CallOptions) =>
  (await run(tool, args, options)).value as T;
const shown = async (id: string) => (await user.client.get<Task>(`/api/tasks/${id}`)).json;

describe('task_create', () => {
  test('adds one task for each call to the chat, however often the call is repeated', async () => {
    const key = uuidv7();
    const args = { title: 'Call the customer', description: 'Today', priority: 'high' };
    const [one, two] = [await call(taskCreate, args, { key }), await call(taskCreate, args, { key })];
    expect(two).toEqual(one);
    expect(await shown(key)).toMatchObject({
      id: key,
      chat_id: chatId,
      title: 'Call the customer',
      status: 'pending',
      priority: 'high',
      parent_task_id: null,
      created_by: user.id,
    });
    expect((await user.client.get(`/api/tasks?chat_id=${chatId}`)).json).toHaveLength(1);
  });

  test('hands it to an agent by its name or id, which begins when what it depends on is done', async () => {
    const first = await call(taskCreate, { title: 'First' });
    const second = { title: 'Second', assigned_agent_id: ' builder ', depends_on: [first.id.toUpperCase()] };
    const waiting = await call(taskCreate, second);
    expect(waiting).toMatchObject({ status: 'pending', waits_for: [first.id], assigned_agent_id: agentId });
    expect(await call(taskCreate, { title: 'Now', assigned_agent_id: agentId })).toMatchObject({
      status: 'in_progress',
    });
  });

  test('makes a part of the task that the calling agent works on, up to five deep', async () => {
    let belowId = chatId;
    let parent: string | null = null;
    for (let depth = 1; depth <= 5; depth += 1) {
      const { id } = await call(taskCreate, { title: `At ${depth}`, assigned_agent_id: agentId }, { belowId });
      const task = await shown(id);
      expect(task.parent_task_id).toBe(parent);
      [belowId, parent] = [task.sub_chat_id ?? '', id];
    }
    const deeper = call(taskCreate, { title: 'Too deep', assigned_agent_id: agentId }, { belowId });
    await expect(deeper).rejects.toMatchObject({ kind: 'invalid_input', message: expect.stringContaining('deep') });
    const steps = [{ title: 'Too deep', assigned_agent_id: agentId }];
    const asStep = call(planCreate, { plan_id: parent, steps });
    await expect(asStep).rejects.toMatchObject({ kind: 'invalid_input', message: expect.stringContaining('deep') });
    expect((await user.client.get(`/api/tasks?chat_id=${chatId}`)).json).toHaveLength(5);
  });

  test('uses no agent that the user may not, and reaches nothing of another organization', async () => {
    const allowlists = {
      agentIds: [uuidv7()],
      skillKeys: [],
      toolKeys: [],
      personaIds: [],
      providerIds: [],
      chainIds: [],
    };
    const limits = { tokenBudget: 0, tokenWindowHours: 0, maxConcurrentAgents: 0, maxProviderAccounts: 0 };
    const group = { id: 'g', permissions: ['tasks.manage'], limits, allowlists, defaultChainId: null };
    const policy = policyOf('member', [group]);
    const args = { title: 'x', assigned_agent_id: agentId };
    await expect(call(taskCreate, args, { policy })).rejects.toMatchObject({ kind: 'not_found' });
    const stranger = await registerUser(served.url);
    const theirs = await createAgent(stranger.client);
    await expect(call(taskCreate, { ...args, assigned_agent_id: theirs })).rejects.toMatchObject({ kind: 'not_found' });
    const chat = await createChat(stranger.client, theirs);
    const { json: task } = await stranger.client.post<Shown>('/api/tasks', { chat_id: chat, title: 'Theirs' });
    for (const [tool, with_] of [
      [taskCreate, { title: 'x', depends_on: [task.id] }],
      [taskUpdate, { action: 'get', task_id: task.id }],
      [taskUpdate, { action: 'update', task_id: task.id, status: 'completed' }],
      [taskUpdate, { action: 'interrupt', task_id: task.id }],
      [planCreate, { plan_id: task.id }],
      [planCreate, { plan_id: task.id, steps: [{ title: 'x' }] }],
    ] as const)
      await expect(call(tool, with_)).rejects.toMatchObject({ kind: 'not_found' });
  });

  test('refuses one of several agents with a name, and a title that is not one line', async () => {
    await createAgent(user.client, { name: 'Twin' });
    await createAgent(user.client, { name: 'twin' });
    for (const args of [{ title: 'x', assigned_agent_id: 'Twin' }, { title: 'two\nlines' }, { title: ' ' }])
      await expect(call(taskCreate, args)).rejects.toMatchObject({ kind: 'invalid_input' });
  });

  test('marks what may repeat text from outside, and the chat of the agent that works on it', async () => {
    const foreign = { hasForeignText: true };
    const { id } = await call(taskCreate, { title: 'Quoted', assigned_agent_id: agentId }, foreign);
    expect(await run(taskUpdate, { action: 'get', task_id: id })).toMatchObject({ isForeign: true });
    const { rows } = await served.api.database.system.query<{ marked: boolean }>(
      'select s.has_foreign_text as marked from tasks k join chats s on s.id = k.sub_chat_id where k.id = $1',
      [id],
    );
    expect(rows).toEqual([{ marked: true }]);
    const own = await call(taskCreate, { title: 'Own' });
    expect(await run(taskUpdate, { action: 'get', task_id: own.id })).toMatchObject({ isForeign: false });
    await call(taskUpdate, { action: 'update', task_id: own.id, result: 'quoted' }, foreign);
    expect(await run(taskUpdate, { action: 'list' })).toMatchObject({ isForeign: true });
  });
});

describe('task_update', () => {
  test('lists, reads, changes status and result, and stops an agent', async () => {
    const { id } = await call(taskCreate, { title: 'One' });
    const working = await call(taskCreate, { title: 'Two', assigned_agent_id: agentId });
    expect(await call(taskUpdate, { action: 'list' })).toMatchObject({ total: 2, tasks: [{ id }, { id: working.id }] });
    expect(await call(taskUpdate, { action: 'list', status: 'pending' })).toMatchObject({ total: 1 });
    const done = { action: 'update', task_id: id, status: 'completed', result: 'It works' };
    for (let times = 0; times < 2; times += 1)
      expect(await call(taskUpdate, done)).toMatchObject({ status: 'completed', output: 'It works' });
    await expect(call(taskUpdate, { ...done, status: 'cancelled' })).rejects.toMatchObject({ kind: 'invalid_input' });
    await expect(call(taskUpdate, { ...done, task_id: working.id })).rejects.toMatchObject({ kind: 'invalid_input' });
    expect(await call(taskUpdate, { action: 'interrupt', task_id: working.id })).toMatchObject({ id: working.id });
    await expect(call(taskUpdate, { action: 'interrupt', task_id: id })).rejects.toMatchObject({
      kind: 'invalid_input',
    });
  });

  test('reaches no task of another chat', async () => {
    const { id } = await call(taskCreate, { title: 'Here', assigned_agent_id: agentId });
    chatId = await createChat(user.client, agentId);
    for (const [tool, args] of [
      [taskUpdate, { action: 'get', task_id: id }],
      [taskUpdate, { action: 'update', task_id: id, result: 'x' }],
      [taskUpdate, { action: 'interrupt', task_id: id }],
      [planCreate, { plan_id: id }],
      [planCreate, { plan_id: id, status: 'completed' }],
      [planCreate, { plan_id: id, steps: [{ title: 'x' }] }],
    ] as const)
      await expect(call(tool, args)).rejects.toMatchObject({ kind: 'not_found' });
  });

  test.each([{ action: 'get' }, { action: 'update', task_id: uuidv7() }, { action: 'interrupt' }])(
    'says what is missing in %j',
    async (args) => {
      await expect(call(taskUpdate, args)).rejects.toMatchObject({ kind: 'invalid_input' });
    },
  );
});

describe('plan_create', () => {
  const steps = [
    { title: 'Measure', assigned_agent_id: 'Builder' },
    { title: 'Cut', depends_on: [1] },
    { title: 'Glue', description: 'Press it', depends_on: [1, 2], assigned_agent_id: 'Builder' },
  ];

  test('writes a goal and its steps as tasks once, begins those that can, and marks steps as done', async () => {
    const key = uuidv7();
    const args = { goal: 'A shelf', steps };
    const plan = await call<Plan>(planCreate, args, { key });
    expect(await call<Plan>(planCreate, args, { key })).toMatchObject({ plan_id: key });
    expect(plan).toMatchObject({ plan_id: key, goal: 'A shelf', status: 'pending' });
    const [measure, cut, glue] = plan.steps;
    expect(plan.steps).toMatchObject([
      { title: 'Measure', status: 'in_progress', waits_for: [] },
      { title: 'Cut', status: 'pending', waits_for: [measure?.id] },
      { title: 'Glue', status: 'pending', waits_for: [measure?.id, cut?.id] },
    ]);
    expect((await user.client.get(`/api/tasks?chat_id=${chatId}`)).json).toHaveLength(4);
    expect((await user.client.get(`/api/tasks?parent_task_id=${key}`)).json).toHaveLength(3);
    const step = { plan_id: key, step_id: cut?.id, status: 'completed', result: 'Two boards' };
    expect(await call<Plan>(planCreate, step)).toMatchObject({
      steps: [{}, { status: 'completed', output: 'Two boards' }, { id: glue?.id, waits_for: [measure?.id] }],
    });
    expect(await call<Plan>(planCreate, { plan_id: key, goal: 'A long shelf', status: 'completed' })).toMatchObject({
      goal: 'A long shelf',
      status: 'completed',
    });
  });

  test('adds steps to a plan once for each call, behind the others', async () => {
    const { plan_id: planId } = await call<Plan>(planCreate, { goal: 'A shelf', steps: [{ title: 'Measure' }] });
    const key = uuidv7();
    const added = { plan_id: planId, steps: [{ title: 'Paint' }, { title: 'Hang', depends_on: [1] }] };
    for (let times = 0; times < 2; times += 1) await call(planCreate, added, { key });
    const plan = await call<Plan>(planCreate, { plan_id: planId });
    expect(plan.steps.map(({ title }) => title)).toEqual(['Measure', 'Paint', 'Hang']);
    expect(plan.steps[2]?.waits_for).toEqual([plan.steps[1]?.id]);
  });

  test('takes up to 200 steps, and answers a call that filled it when that is repeated', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => ({ title: `Step ${at}` }));
    const { plan_id: planId } = await call<Plan>(planCreate, { goal: 'Long', steps: many(50) });
    for (let times = 0; times < 2; times += 1) await call(planCreate, { plan_id: planId, steps: many(50) });
    const key = uuidv7();
    const last = { plan_id: planId, steps: many(50) };
    for (let times = 0; times < 2; times += 1)
      expect(await call(planCreate, last, { key })).toMatchObject({ plan_id: planId, total: 200 });
    const more = call(planCreate, { plan_id: planId, steps: many(1) });
    await expect(more).rejects.toMatchObject({ kind: 'invalid_input', message: expect.stringContaining('200 steps') });
  });

  test('takes up to 200 steps of calls at the same time', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => ({ title: `Step ${at}` }));
    const { plan_id: planId } = await call<Plan>(planCreate, { goal: 'Long', steps: many(50) });
    const calls = Array.from({ length: 6 }, async () => call(planCreate, { plan_id: planId, steps: many(50) }));
    const settled = await Promise.allSettled(calls);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(await call(planCreate, { plan_id: planId })).toMatchObject({ total: 200 });
  });

  test('says that a plan is unknown that is deleted in the meantime', async () => {
    const { plan_id: planId } = await call<Plan>(planCreate, { goal: 'Short', steps: [{ title: 'One' }] });
    const { system } = served.api.database;
    const client = await system.connect();
    try {
      await client.query('begin');
      await client.query('delete from tasks where id = $1', [planId]);
      const added = call(planCreate, { plan_id: planId, steps: [{ title: 'Two' }] });
      const refused = expect(added).rejects.toMatchObject({ kind: 'not_found' });
      await waitUntil('the call to wait', async () => {
        const { rows } = await system.query(
          'select from pg_stat_activity a, pg_blocking_pids(a.pid) as blockers where a.datname = current_database() and $1 = any(blockers)',
          [(client as unknown as { readonly processID: number }).processID],
        );
        return rows.length > 0 ? true : undefined;
      });
      await client.query('commit');
      await refused;
    } finally {
      client.release();
    }
  });

  test('changes a step that is not shown', async () => {
    const { plan_id: planId } = await call<Plan>(planCreate, { goal: 'Long', steps: [{ title: 'First' }] });
    await served.api.database.system.query(
      `insert into tasks (id, org_id, chat_id, created_by, title, parent_task_id, position)
        select gen_random_uuid(), org_id, chat_id, created_by, 'By hand', $1, position || at || 'V'
        from tasks, generate_series(1, 200) at where id = $1`,
      [planId],
    );
    const last = await call(taskCreate, { title: 'Last' });
    await served.api.database.system.query('update tasks set parent_task_id = $1 where id = $2', [planId, last.id]);
    const done = { plan_id: planId, step_id: last.id, status: 'completed' };
    expect(await call(planCreate, done)).toMatchObject({ total: 202 });
    expect(await shown(last.id)).toMatchObject({ status: 'completed' });
  });

  test('is no error at a limit when what it adds is stored', async () => {
    const { plan_id: planId } = await call<Plan>(planCreate, { goal: 'Full', steps: [{ title: 'One' }] });
    const key = uuidv7();
    const added = { plan_id: planId, steps: [{ title: 'Two' }] };
    await call(planCreate, added, { key });
    const full = { limits: 'work_bytes=1' };
    expect(await call(planCreate, added, { ...full, key })).toMatchObject({ total: 2 });
    await expect(call(planCreate, added, full)).rejects.toMatchObject({ kind: 'invalid_input' });
  });

  test('stores nothing of a plan that cannot be', async () => {
    for (const args of [
      {
        goal: 'Circle',
        steps: [
          { title: 'a', depends_on: [2] },
          { title: 'b', depends_on: [1] },
        ],
      },
      { goal: 'Itself', steps: [{ title: 'a', depends_on: [1] }] },
      { goal: 'Beyond', steps: [{ title: 'a', depends_on: [2] }] },
      { goal: 'No steps' },
      { steps: [{ title: 'No goal' }] },
      { goal: 'Early', steps: [{ title: 'a' }], status: 'completed' },
      { goal: 'Lines', steps: [{ title: 'a\nb' }] },
    ])
      await expect(call(planCreate, args)).rejects.toMatchObject({ kind: 'invalid_input' });
    const unknown = { goal: 'Who', steps: [{ title: 'a' }, { title: 'b', assigned_agent_id: 'Nobody' }] };
    await expect(call(planCreate, unknown)).rejects.toMatchObject({ kind: 'not_found' });
    const { plan_id: planId } = await call<Plan>(planCreate, { goal: 'One', steps: [{ title: 'a' }] });
    const other = await call<Plan>(planCreate, { goal: 'Other', steps: [{ title: 'b' }] });
    const stray = { plan_id: planId, step_id: other.steps[0]?.id, status: 'completed' };
    await expect(call(planCreate, stray)).rejects.toMatchObject({ kind: 'not_found' });
    expect((await user.client.get(`/api/tasks?chat_id=${chatId}`)).json).toHaveLength(4);
  });
});
