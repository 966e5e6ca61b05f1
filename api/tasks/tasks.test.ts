import { beforeAll, expect, test } from '@jest/globals';
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
