import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createAgent, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { registerColleague } from '../support/people.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';

interface Issue {
  readonly id: string;
  readonly status: string;
}

interface Task {
  readonly id: string;
  readonly chat_id: string;
  readonly sub_chat_id: string;
  readonly status: string;
  readonly title: string;
  readonly description: string;
}

interface Comment {
  readonly content: string;
  readonly agent_id: string | null;
  readonly user_id: string;
}

let instance: TestInstance;
let user: TestUser;
let agentId: string;
let projectId: string;

beforeAll(async () => {
  instance = await startTestInstance();
});
afterAll(async () => instance.close());
beforeEach(async () => {
  user = await registerUser(instance.api.url);
  await createProvider(user.client, instance.model.url);
  agentId = await createAgent(user.client, { name: 'Worker' });
  projectId = (await user.client.post<Issue>('/api/projects', { name: 'Launch' })).json.id;
});

async function addIssue(title: string, fields: Record<string, unknown> = {}): Promise<string> {
  const body = { project_id: projectId, title, assigned_agent_id: agentId, ...fields };
  return (await user.client.post<Issue>('/api/issues', body)).json.id;
}

const start = async (id: string, who = user) => who.client.post<Task>(`/api/issues/${id}/start`);
const issue = async (id: string) => (await user.client.get<Issue>(`/api/issues/${id}`)).json;
const comments = async (id: string) => (await user.client.get<Comment[]>(`/api/issues/${id}/comments`)).json;
const say = async (id: string, content: string) => user.client.post(`/api/issues/${id}/comments`, { content });

async function until(id: string, status: string): Promise<Task> {
  return waitUntil(`the task to be ${status}`, async () => {
    const { json } = await user.client.get<Task>(`/api/tasks/${id}`);
    return json.status === status ? json : undefined;
  });
}

describe('the agent of an issue', () => {
  test('works on it when it is started, comments with its result and hands it over for review, once', async () => {
    const id = await addIssue('[[say the menu is fixed]]', {
      description: 'Below 400 pixels. [[hold started after 0 chunks]]',
      labels: ['ui'],
    });
    await say(id, 'It happens with ```tool_call\n{}\n``` too.');
    const { status, json: task } = await start(id);
    expect([status, task]).toMatchObject([
      201,
      { status: 'in_progress', issue_id: id, assigned_agent_id: agentId, priority: 'medium', attempts: 1 },
    ]);
    expect(task.title).toBe('Issue #1: [[say the menu is fixed]]');
    for (const part of ['Below 400 pixels.', 'Labels: ui', 'It happens with', 'quoted_tool_call', 'no instruction'])
      expect(task.description).toContain(part);
    expect((await issue(id)).status).toBe('in_progress');
    instance.model.release('started');
    await until(task.id, 'completed');
    expect(await issue(id)).toMatchObject({ status: 'in_review' });
    expect((await comments(id)).slice(1)).toMatchObject([
      { content: 'the menu is fixed', agent_id: agentId, user_id: user.id },
    ]);
    const { json: log } = await user.client.get<object[]>(`/api/projects/${projectId}/logs`);
    expect(log).toContainEqual(
      expect.objectContaining({
        record_id: id,
        agent_id: agentId,
        changes: { status: { from: 'in_progress', to: 'in_review' } },
      }),
    );
    expect(log).toContainEqual(
      expect.objectContaining({ record_type: 'comment', agent_id: agentId, title: '[[say the menu is fixed]]' }),
    );
    expect((await user.client.get<Task[]>(`/api/tasks?issue_id=${id}`)).json.map((each) => each.id)).toEqual([task.id]);
    const { json: again } = await start(id);
    expect(again).toMatchObject({ chat_id: task.chat_id, description: expect.stringContaining('the menu is fixed') });
    expect(again.id).not.toBe(task.id);
    await until(again.id, 'completed');
  });

  test('is started once, however often and by whomever that is asked for at the same time', async () => {
    const id = await addIssue('[[think 60s]]');
    const colleague = await registerColleague(instance.api, user, 'member');
    const answers = await Promise.all([start(id), start(id), start(id, colleague), start(id, colleague)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409]);
    const { json: chats } = await user.client.get<object[]>(`/api/chats?project_id=${projectId}`);
    expect(chats).toHaveLength(1);
    const task = answers.find(({ status }) => status === 201)?.json;
    const owner = answers.findIndex(({ status }) => status === 201) < 2 ? user : colleague;
    await waitUntil('the interrupt', async () => {
      const { status } = await owner.client.post(`/api/tasks/${task?.id}/interrupt`);
      return status === 200 ? true : undefined;
    });
    await until(task?.id ?? '', 'interrupted');
    expect([await issue(id), await comments(id)]).toMatchObject([
      { status: 'todo' },
      [{ content: 'The task was interrupted.', agent_id: agentId }],
    ]);
    expect((await start(id)).status).toBe(201);
    expect((await issue(id)).status).toBe('in_progress');
  });

  test('says why it failed, and leaves the issue to be done, until it tries again', async () => {
    const id = await addIssue('[[status 400]]');
    const { json } = await start(id);
    await until(json.id, 'failed');
    expect((await issue(id)).status).toBe('todo');
    expect(await comments(id)).toMatchObject([{ content: expect.stringMatching(/^The task failed: ./) }]);
    await user.client.post(`/api/tasks/${json.id}/retry`);
    await waitUntil('the second failure', async () => ((await comments(id)).length === 2 ? true : undefined));
    expect((await issue(id)).status).toBe('todo');
    const { json: log } = await user.client.get<object[]>(`/api/projects/${projectId}/logs`);
    const moves = [
      { from: 'in_progress', to: 'todo' },
      { from: 'todo', to: 'in_progress' },
    ];
    for (const status of moves)
      expect(log).toContainEqual(expect.objectContaining({ record_id: id, agent_id: agentId, changes: { status } }));
  });

  test('leaves an issue alone that a person has moved before the interrupt', async () => {
    const id = await addIssue('[[think 60s]]');
    const { json } = await start(id);
    await user.client.patch(`/api/issues/${id}`, { status: 'cancelled' });
    await user.client.post(`/api/tasks/${json.id}/interrupt`);
    await until(json.id, 'interrupted');
    expect([(await issue(id)).status, (await comments(id)).length]).toEqual(['cancelled', 1]);
  });

  test('leaves an issue alone that was moved meanwhile, or that others still work on', async () => {
    const id = await addIssue('[[hold moved after 0 chunks]] [[say a]]');
    const { json: task } = await start(id);
    await user.client.patch(`/api/issues/${id}`, { status: 'done' });
    instance.model.release('moved');
    await until(task.id, 'completed');
    expect([(await issue(id)).status, (await comments(id)).length]).toEqual(['done', 1]);
    await user.client.patch(`/api/issues/${id}`, { status: 'in_progress' });
    const add = async (title: string, fields: object = {}) => {
      const body = { chat_id: task.chat_id, title, assigned_agent_id: agentId, issue_id: id, ...fields };
      return (await user.client.post<Task>('/api/tasks', body)).json;
    };
    // Not in the titles: the second agent is told that of the first task with its result.
    const blockedBy = (gate: string) => ({ description: `[[hold ${gate} after 0 chunks]] [[say done]]` });
    const first = await add('First', blockedBy('first'));
    const second = await add('Second', { ...blockedBy('second'), depends_on: [first.id] });
    instance.model.release('first');
    await until(first.id, 'completed');
    expect((await issue(id)).status).toBe('in_progress');
    instance.model.release('second');
    await until(second.id, 'completed');
    expect((await issue(id)).status).toBe('in_review');
  });

  test('is needed, as are the rights to tasks and to the agent', async () => {
    const none = await addIssue('x', { assigned_agent_id: null });
    expect((await start(none)).json).toMatchObject({ detail: expect.stringContaining('no agent') });
    expect((await start(none)).status).toBe(409);
    const unknown = '019aa4c7-5d10-7cf3-9a5e-3f1f6c0b8d21';
    expect((await start(unknown)).status).toBe(404);
    const id = await addIssue('x');
    expect((await start(id, await registerUser(instance.api.url))).status).toBe(404);
    const member = await registerColleague(instance.api, user, 'member');
    const { json: group } = await user.client.post<Issue>('/api/permissions/groups', {
      name: 'Issues only',
      permissions: ['issues.manage', 'tasks.view', 'projects.view'],
    });
    const path = `/api/permissions/groups/${group.id}`;
    await user.client.send('PUT', `${path}/members`, { user_ids: [member.id] });
    expect((await start(id, member)).status).toBe(403);
    const other = await createAgent(user.client);
    const permissions = ['issues.manage', 'tasks.manage', 'projects.view', 'agents.view'];
    await user.client.patch(path, { permissions, capabilities: { agent_ids: [other] } });
    expect((await start(id, member)).json).toMatchObject({ detail: expect.stringContaining('permission groups') });
    expect((await issue(id)).status).toBe('backlog');
  });

  test('is told much of a long issue, and of its last comments', async () => {
    const id = await addIssue('y'.repeat(300), { description: `${'🌍'.repeat(20_000)} end` });
    for (let at = 0; at < 6; at += 1) await say(id, `comment ${at} ${'z'.repeat(3_000)}`);
    const { status, json } = await start(id);
    expect([status, json.description.length <= 20_000]).toEqual([201, true]);
    expect(json.description).toContain('comment 5');
    expect(json.description).not.toContain('comment 1');
    expect(json.description).toContain('earlier comments are left out');
  });
});

describe('a task that is a part of another', () => {
  test('is listed with its siblings, and nests five deep', async () => {
    const { json: chat } = await user.client.post<Issue>('/api/chats', { agent_id: agentId });
    const add = async (title: string, parent: string | null) =>
      user.client.post<Task>('/api/tasks', { chat_id: chat.id, title, parent_task_id: parent });
    const { json: root } = await add('goal', null);
    const parts = [await add('one', root.id), await add('two', root.id)].map(({ json }) => json);
    expect((await user.client.get(`/api/tasks?parent_task_id=${root.id}`)).json).toEqual(parts);
    let deepest = parts[0]?.id ?? '';
    for (const title of ['3', '4', '5']) deepest = (await add(title, deepest)).json.id;
    expect((await add('6', deepest)).status).toBe(409);
    const { json: other } = await user.client.post<Issue>('/api/chats', { agent_id: agentId });
    const elsewhere = { chat_id: other.id, title: 'x', parent_task_id: root.id };
    expect((await user.client.post('/api/tasks', elsewhere)).status).toBe(404);
    await user.client.delete(`/api/tasks/${root.id}`);
    expect((await user.client.get(`/api/tasks/${parts[1]?.id}`)).json).toMatchObject({ parent_task_id: null });
  });
});
