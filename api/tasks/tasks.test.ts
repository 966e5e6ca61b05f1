import { beforeAll, describe, expect, test } from '@jest/globals';
import { createAgent, registerUser, type TestUser } from '../../test/support/factories.ts';
import { registerColleague } from '../../test/support/people.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

interface Created {
  readonly id: string;
}

interface Board {
  readonly columns: readonly { readonly tasks: readonly Record<string, unknown>[] }[];
}

const served = serveTestApi();
let owner: TestUser;
beforeAll(async () => {
  owner = await registerUser(served.url);
});

const made = async (path: string, body: object) => (await owner.client.post<Created>(path, body)).json.id;

test('cards of a board say what the task is for, and what it waits for', async () => {
  const project = await made('/api/projects', { name: 'Launch' });
  const chat = await made('/api/chats', { agent_id: await createAgent(owner.client), project_id: project });
  const issue = await made('/api/issues', { project_id: project, title: 'Broken' });
  const plan = await made('/api/tasks', { chat_id: chat, title: 'Plan', issue_id: issue });
  const first = await made('/api/tasks', { chat_id: chat, title: 'First', parent_task_id: plan });
  const done = await made('/api/tasks', { chat_id: chat, title: 'Done' });
  await owner.client.patch(`/api/tasks/${done}`, { status: 'completed' });
  const rest = { parent_task_id: plan, depends_on: [first, done] };
  const second = await made('/api/tasks', { chat_id: chat, title: 'Second', ...rest });
  const { columns } = (await owner.client.get<Board>(`/api/board?project_id=${project}`)).json;
  expect(columns[0]?.tasks).toMatchObject([
    { id: plan, issue_id: issue, parent_task_id: null, waits_for: [] },
    { id: first, issue_id: null, parent_task_id: plan, waits_for: [] },
    { id: second, issue_id: null, parent_task_id: plan, waits_for: [first] },
  ]);
});

test('tasks of a person and of a project are found by state, agent and words of their title', async () => {
  const project = await made('/api/projects', { name: 'Fleet' });
  const chat = await made('/api/chats', { agent_id: await createAgent(owner.client), project_id: project });
  const [report, repair] = [
    await made('/api/tasks', { chat_id: chat, title: 'Write the 10% REPORT' }),
    await made('/api/tasks', { chat_id: chat, title: 'Repair the ship' }),
  ];
  await owner.client.patch(`/api/tasks/${repair}`, { status: 'completed' });
  const agentId = await createAgent(owner.client);
  await served.api.database.system.query('update tasks set assigned_agent_id = $1 where id = $2', [agentId, report]);
  const found = async (query: string) => {
    const paths = [`/api/projects/${project}/tasks`, '/api/tasks'];
    const answers = await Promise.all(paths.map(async (path) => owner.client.get<Created[]>(`${path}?${query}`)));
    return answers.map(({ json }) => json.map(({ id }) => id).filter((id) => id === report || id === repair));
  };
  expect(await found('q=report')).toEqual([[report], [report]]);
  expect(await found('q=10%25')).toEqual([[report], [report]]);
  expect(await found('status=completed')).toEqual([[repair], [repair]]);
  expect(await found(`assigned_agent_id=${agentId}`)).toEqual([[report], [report]]);
  expect(await found(`assigned_agent_id=${agentId}&status=completed`)).toEqual([[], []]);
});

describe('a column of a board that is too long', () => {
  interface LongBoard {
    readonly columns: readonly {
      readonly status: string;
      readonly total: number;
      readonly tasks: { title: string }[];
    }[];
  }

  async function boardWith(tasks: number, titleOf: string) {
    const project = await made('/api/projects', { name: 'Long' });
    const chat = await made('/api/chats', { agent_id: await createAgent(owner.client), project_id: project });
    const needed = await made('/api/tasks', { chat_id: chat, title: 'Needed' });
    await owner.client.patch(`/api/tasks/${needed}`, { status: 'in_progress' });
    const last = await made('/api/tasks', { chat_id: chat, title: 'Last', depends_on: [needed] });
    await owner.client.patch(`/api/tasks/${last}`, { position: 'zz' });
    await served.api.database.system.query(
      `insert into tasks (id, org_id, chat_id, title, position)
        select gen_random_uuid(), org_id, chat_id, ${titleOf}, 'a' || to_char(n, 'FM00000') || 'V'
        from tasks, generate_series(1, $2::int) n where id = $1`,
      [last, tasks],
    );
    const { columns } = (await owner.client.get<LongBoard>(`/api/board?project_id=${project}`)).json;
    expect(columns.map(({ status, total }) => [status, total]).slice(0, 2)).toEqual([
      ['pending', tasks + 1],
      ['in_progress', 1],
    ]);
    const titles = columns[0]?.tasks.map(({ title }) => title) ?? [];
    expect(columns[0]?.tasks.at(-1)).toMatchObject({ title: 'Last', waits_for: [needed] });
    return titles;
  }

  test('shows the last 1,000 tasks', async () => {
    const titles = await boardWith(1_000, 'n::text');
    expect([titles.length, titles[0]]).toEqual([1_000, '2']);
  });

  test('shows the last tasks that take 700,000 bytes', async () => {
    const titles = await boardWith(200, "n || repeat('x', 5000)");
    expect(titles.length).toBeGreaterThan(120);
    expect(titles.length).toBeLessThan(130);
    expect(titles[0]).toMatch(/^7\dx/);
  });
});

test('an agent that permission groups hide is not named by tasks, and stays assigned when one is sent back', async () => {
  const [seen, hidden] = [await createAgent(owner.client), await createAgent(owner.client)];
  const project = await made('/api/projects', { name: 'Launch' });
  const member = await registerColleague(served.api, owner, 'member');
  const permissions = ['tasks.manage', 'projects.view', 'chats.view_shared', 'agents.view'];
  const group = { name: 'Some agents', permissions, capabilities: { agent_ids: [seen] } };
  const { json } = await owner.client.post<Created>('/api/permissions/groups', group);
  await owner.client.send('PUT', `/api/permissions/groups/${json.id}/members`, { user_ids: [member.id] });
  const chat = await made('/api/chats', { agent_id: seen, project_id: project });
  const foreign = await made('/api/tasks', { chat_id: chat, title: 'Of another', assigned_agent_id: hidden });
  const shown = [
    `/api/tasks/${foreign}`,
    `/api/tasks?chat_id=${chat}`,
    `/api/projects/${project}/tasks`,
    `/api/board?project_id=${project}`,
  ];
  for (const path of shown) {
    const [theirs, ours] = [await member.client.get(path), await owner.client.get(path)];
    expect([theirs.status, JSON.stringify(theirs.json)]).toEqual([200, expect.stringContaining(foreign)]);
    expect(JSON.stringify(theirs.json)).not.toContain(hidden);
    expect(JSON.stringify(ours.json)).toContain(hidden);
  }
  const ownChat = (await member.client.post<Created>('/api/chats', { agent_id: seen })).json.id;
  const own = (await member.client.post<Created>('/api/tasks', { chat_id: ownChat, title: 'Mine' })).json.id;
  // Pending, the agent would begin with it.
  await member.client.patch(`/api/tasks/${own}`, { status: 'completed' });
  const { system } = served.api.database;
  await system.query('update tasks set assigned_agent_id = $1 where id = $2', [hidden, own]);
  const sentBack = { title: 'Still mine', assigned_agent_id: null };
  expect((await member.client.patch(`/api/tasks/${own}`, sentBack)).json).toMatchObject({
    title: 'Still mine',
    assigned_agent_id: null,
  });
  const assigned = async () =>
    (await system.query('select assigned_agent_id as id from tasks where id = $1', [own])).rows;
  expect(await assigned()).toEqual([{ id: hidden }]);
  await member.client.patch(`/api/tasks/${own}`, { assigned_agent_id: seen });
  expect(await assigned()).toEqual([{ id: seen }]);
});
