import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { freeDependentsOfCompleted } from '../../db/tasks/due-tasks.ts';
import { taskWorkflowId } from '../../workflows/tasks/contract.ts';
import { createAgent, createChat, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { registerColleague } from '../support/people.ts';
import { SseClient } from '../support/sse-client.ts';
import { recoverDueWork } from '../support/recover-due-work.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';

interface Task {
  readonly id: string;
  readonly status: string;
  readonly output: string | null;
  readonly error: string | null;
  readonly attempts: number;
  readonly sub_chat_id: string;
  readonly waits_for: readonly string[];
  readonly parent_turn_id: string | null;
}

interface Message {
  readonly role: string;
  readonly content: string;
  readonly agent_id: string;
  readonly metadata_: Readonly<Record<string, unknown>>;
}

let instance: TestInstance;
let user: TestUser;
let agentId: string;
let chatId: string;

beforeAll(async () => {
  instance = await startTestInstance();
});
afterAll(async () => instance.close());
beforeEach(async () => {
  user = await registerUser(instance.api.url);
  await createProvider(user.client, instance.model.url);
  agentId = await createAgent(user.client, { name: 'Worker', tools: ['agent_spawn'], max_subagents: 2 });
  chatId = await createChat(user.client, agentId);
});

const add = async (title: string, fields: Record<string, unknown> = {}) =>
  user.client.post<Task>('/api/tasks', { chat_id: chatId, title, ...fields });
const given = async (title: string, fields: Record<string, unknown> = {}) =>
  (await add(title, { assigned_agent_id: agentId, ...fields })).json;
const shown = async (id: string) => (await user.client.get<Task>(`/api/tasks/${id}`)).json;
const patch = async (id: string, fields: Record<string, unknown>) =>
  user.client.patch<Task>(`/api/tasks/${id}`, fields);
const messages = async (id = chatId) => (await user.client.get<Message[]>(`/api/chats/${id}/messages`)).json;

async function ended(id: string, status = 'completed'): Promise<Task> {
  return waitUntil(`the task to be ${status}`, async () => {
    const task = await shown(id);
    return task.status === status ? task : undefined;
  });
}

async function say(content: string): Promise<void> {
  const url = `${instance.api.url}/api/chats/${chatId}/stream`;
  const stream = await SseClient.open({ url, token: user.accessToken, body: { content } });
  await stream.waitForEnd();
}

describe('a task with an agent', () => {
  test('is worked on at once, in a chat of its own, and its result is told in the chat and to its agent', async () => {
    const fields = { description: '[[hold begun after 0 chunks]]', assigned_agent_id: agentId, priority: 'high' };
    const answer = await add('[[say sales rose]]', fields);
    expect([answer.status, answer.json]).toMatchObject([201, { status: 'in_progress', attempts: 1, priority: 'high' }]);
    instance.model.release('begun');
    const task = await ended(answer.json.id);
    expect(task).toMatchObject({ output: 'sales rose', error: null, attempts: 1, waits_for: [] });
    const report = await waitUntil('the result to be told', async () => (await messages()).at(0));
    expect(report).toMatchObject({
      role: 'assistant',
      content: 'sales rose',
      agent_id: agentId,
      metadata_: { status: 'completed', task: { id: task.id, title: '[[say sales rose]]', status: 'completed' } },
    });
    expect((await messages(task.sub_chat_id)).map(({ role }) => role)).toEqual(['user', 'assistant']);
    await say('what did it find?');
    const asked = JSON.stringify(instance.model.requests.at(-1)?.messages);
    expect(asked).toContain('has ended. Its result:');
    expect(asked).toContain('sales rose');
  });

  test('waits for those that it depends on, and is told their results', async () => {
    const first = await given('First', { description: '[[hold first after 0 chunks]] [[say forty-two]]' });
    const second = await given('[[say ready]]', { depends_on: [first.id] });
    expect(second).toMatchObject({ status: 'pending', attempts: 0, waits_for: [first.id] });
    instance.model.release('first');
    await ended(first.id);
    expect(await ended(second.id)).toMatchObject({ output: 'ready', waits_for: [] });
    const asked = instance.model.requests.map(({ messages: sent }) => JSON.stringify(sent));
    expect(asked.filter((sent) => sent.includes('Result of the task') && sent.includes('forty-two'))).toHaveLength(1);
  });

  test('stops when it is interrupted, and goes on in the same chat when it is tried again', async () => {
    const { id } = await given('[[say a]] [[think 60s]]');
    await waitUntil('the agent to work', async () => {
      const chat = await user.client.get<{ status: string }>(`/api/chats/${(await shown(id)).sub_chat_id}`);
      return chat.json.status === 'running' ? true : undefined;
    });
    expect((await patch(id, { status: 'completed' })).status).toBe(409);
    expect((await user.client.delete(`/api/tasks/${id}`)).status).toBe(409);
    expect((await user.client.post(`/api/tasks/${id}/retry`)).status).toBe(409);
    expect((await user.client.post(`/api/tasks/${id}/interrupt`)).status).toBe(200);
    const stopped = await ended(id, 'interrupted');
    expect((await user.client.post(`/api/tasks/${id}/interrupt`)).status).toBe(409);
    await patch(id, { title: '[[hold retry after 0 chunks]] [[say done at last]]' });
    expect((await user.client.post<Task>(`/api/tasks/${id}/retry`)).json).toMatchObject({
      status: 'in_progress',
      attempts: 2,
    });
    instance.model.release('retry');
    expect(await ended(id)).toMatchObject({ output: 'done at last', sub_chat_id: stopped.sub_chat_id });
    expect(await messages(stopped.sub_chat_id)).toHaveLength(4);
  });

  test('fails with its turn, and says why', async () => {
    const { id } = await given('[[status 400]]');
    const task = await ended(id, 'failed');
    expect(task.error).toEqual(expect.any(String));
    const report = await waitUntil('the failure to be told', async () => (await messages()).at(0));
    expect(report.metadata_).toMatchObject({ status: 'completed', task: { id, status: 'failed' } });
  });

  test('has the result of each attempt told, also when it is tried again before that', async () => {
    const busy = await SseClient.open({
      url: `${instance.api.url}/api/chats/${chatId}/stream`,
      token: user.accessToken,
      body: { content: '[[say a]] [[think 60s]]' },
    });
    const { id } = await given('[[say first]]');
    await ended(id);
    await patch(id, { title: '[[status 400]]' });
    await user.client.post(`/api/tasks/${id}/retry`);
    const failed = await ended(id, 'failed');
    await user.client.post(`/api/chats/${chatId}/interrupt`);
    await busy.waitForEnd();
    const report = await waitUntil('both to be told', async () => {
      const reports = (await messages()).filter(({ metadata_: { task } }) => task !== undefined);
      return reports.length === 2 ? reports : undefined;
    });
    expect(report).toMatchObject([
      { content: 'first', metadata_: { task: { id, status: 'completed' } } },
      { content: failed.output, metadata_: { task: { id, status: 'failed' } } },
    ]);
  });

  test('is begun when the agent is assigned later, and not before', async () => {
    const { json: task } = await add('[[say now]]');
    expect(task).toMatchObject({ status: 'pending', attempts: 0 });
    // It may even be done before the answer is written.
    const { json: begun } = await patch(task.id, { assigned_agent_id: agentId });
    expect(['in_progress', 'completed']).toContain(begun.status);
    expect(await ended(task.id)).toMatchObject({ output: 'now' });
  });

  test('is worked on once, however many tasks are added at once', async () => {
    const added = await Promise.all(Array.from({ length: 10 }, async (_, at) => given(`[[say result ${at}]]`)));
    for (const [at, { id }] of added.entries())
      expect(await ended(id)).toMatchObject({ output: `result ${at}`, attempts: 1 });
    const report = await waitUntil('all to be told', async () => {
      const all = await messages();
      return all.length >= added.length ? all : undefined;
    });
    expect(report.map(({ content }) => content).toSorted()).toEqual(added.map((_, at) => `result ${at}`).toSorted());
  });
});

describe('the Temporal workflow of a task', () => {
  let connection: Connection;
  beforeAll(async () => {
    connection = await Connection.connect({ address: instance.temporalAddress });
  });
  afterAll(async () => connection.close());

  const workflowOf = (taskId: string) =>
    new Client({ connection }).workflow.getHandle(taskWorkflowId({ orgId: user.orgId, taskId }));

  /** Waits until the newest run of the workflow has a status, and returns its id. */
  async function reached(taskId: string, status: string): Promise<string> {
    return waitUntil(`the workflow to be ${status}`, async () => {
      const description = await workflowOf(taskId)
        .describe()
        .catch(() => undefined);
      return description?.status.name === status ? description.runId : undefined;
    });
  }

  test('ends with the attempt, and another one follows the next', async () => {
    const { id } = await given('[[status 400]]');
    await ended(id, 'failed');
    const first = await reached(id, 'COMPLETED');
    await patch(id, { title: '[[say a]] [[think 60s]]' });
    await user.client.post(`/api/tasks/${id}/retry`);
    expect(await reached(id, 'RUNNING')).not.toBe(first);
    await user.client.post(`/api/tasks/${id}/interrupt`);
    await ended(id, 'interrupted');
    await reached(id, 'COMPLETED');
  });

  test('interrupts the attempt when it is cancelled', async () => {
    const { id } = await given('[[say a]] [[think 60s]]');
    await reached(id, 'RUNNING');
    await workflowOf(id).cancel();
    expect(await ended(id, 'interrupted')).toMatchObject({ attempts: 1 });
    await reached(id, 'COMPLETED');
  });
});

describe('a task for a person', () => {
  test('takes the states of the table, and no others', async () => {
    const { json: task } = await add('Call the customer');
    expect((await patch(task.id, { status: 'in_progress' })).json).toMatchObject({ status: 'in_progress' });
    expect((await patch(task.id, { status: 'interrupted' })).status).toBe(409);
    expect((await patch(task.id, { status: 'completed' })).json).toMatchObject({
      status: 'completed',
      ended_at: expect.any(String),
    });
    expect((await patch(task.id, { status: 'failed' })).status).toBe(409);
    expect((await patch(task.id, { status: 'pending' })).json).toMatchObject({ status: 'pending', ended_at: null });
    expect((await user.client.post(`/api/tasks/${task.id}/interrupt`)).status).toBe(409);
    expect((await user.client.post(`/api/tasks/${task.id}/retry`)).status).toBe(409);
    expect(await messages()).toEqual([]);
  });

  test('holds those that depend on it until it is completed or deleted', async () => {
    const { json: first } = await add('Sign the contract');
    const { json: other } = await add('Pay');
    const second = await given('[[say sent]]', { depends_on: [first.id, other.id] });
    expect((await patch(first.id, { depends_on: [second.id] })).status).toBe(409);
    expect((await patch(first.id, { depends_on: [first.id] })).status).toBe(409);
    await patch(first.id, { status: 'completed' });
    expect(await shown(second.id)).toMatchObject({ status: 'pending', waits_for: [other.id] });
    expect((await user.client.delete(`/api/tasks/${other.id}`)).status).toBe(204);
    expect(await ended(second.id)).toMatchObject({ output: 'sent' });
  });

  test('frees those that depend on it later, when what completed it died before it could', async () => {
    const { json: first } = await add('Sign the contract');
    const second = await given('[[say sent]]', { depends_on: [first.id] });
    const { database } = instance.api;
    await database.system.query("update tasks set status = 'completed', ended_at = now() where id = $1", [first.id]);
    await freeDependentsOfCompleted(database);
    await database.system.query("update tasks set due_at = now() - interval '1 minute' where id = $1", [second.id]);
    await recoverDueWork(instance);
    expect(await ended(second.id)).toMatchObject({ output: 'sent' });
  });

  test('names what is there only', async () => {
    const unknown = '019aa4c7-5d10-7cf3-9a5e-3f1f6c0b8d21';
    expect((await add('x', { chat_id: unknown })).status).toBe(404);
    expect((await add('x', { assigned_agent_id: unknown })).status).toBe(404);
    expect((await add('x', { depends_on: [unknown] })).status).toBe(404);
    expect((await add(' ')).status).toBe(422);
    expect((await add('x', { priority: 'top' })).status).toBe(422);
    expect((await add('x', { status: 'completed' })).status).toBe(422);
    const { json: task } = await add('x');
    expect((await patch(task.id, { assigned_agent_id: unknown })).status).toBe(404);
    expect((await patch(task.id, { depends_on: [unknown] })).status).toBe(404);
    expect((await patch(task.id, { status: 'done' })).status).toBe(422);
  });
});

test('the tasks of sub-agents are in the list, and go with the turn that delegated them', async () => {
  await createAgent(user.client, { name: 'Helper' });
  await say('[[tool agent_spawn {"agent":"Helper","task":"[[say part]]"}]] [[then]] [[say whole]]');
  const { json: listed } = await user.client.get<Task[]>(`/api/tasks?chat_id=${chatId}`);
  expect(listed).toMatchObject([{ status: 'completed', output: 'part', parent_turn_id: expect.any(String) }]);
  const [{ id } = { id: '' }] = listed;
  expect((await patch(id, { status: 'pending' })).status).toBe(409);
  expect((await user.client.delete(`/api/tasks/${id}`)).status).toBe(409);
  expect((await user.client.post(`/api/tasks/${id}/retry`)).status).toBe(409);
  const { sub_chat_id: subChatId } = await shown(id);
  expect((await add('x', { chat_id: subChatId })).status).toBe(409);
  expect((await user.client.get<Task[]>('/api/tasks?status=pending')).json).toEqual([]);
});

test('the tasks of a project are seen by those who may read its chats, and changed by the owner of each', async () => {
  const { json: project } = await user.client.post<{ id: string }>('/api/projects', { name: 'Launch' });
  const chat = await user.client.post<{ id: string }>('/api/chats', { agent_id: agentId, project_id: project.id });
  const { json: task } = await add('Write the note', { chat_id: chat.json.id });
  await add('Elsewhere');
  const colleague = await registerColleague(instance.api, user, 'member');
  const ofProject = async () => (await colleague.client.get<Task[]>(`/api/projects/${project.id}/tasks`)).json;
  const board = async () => (await colleague.client.get(`/api/board?project_id=${project.id}`)).json;
  expect(await ofProject()).toEqual([task]);
  expect((await colleague.client.get(`/api/tasks?chat_id=${chat.json.id}`)).json).toEqual([task]);
  expect((await colleague.client.get('/api/tasks')).json).toEqual([]);
  expect((await colleague.client.get(`/api/tasks/${task.id}`)).json).toEqual(task);
  expect(await board()).toMatchObject({
    project_id: project.id,
    columns: [{ status: 'pending', tasks: [{ id: task.id, title: 'Write the note' }], total: 1 }, {}, {}, {}, {}, {}],
  });
  const changes = [
    colleague.client.post('/api/tasks', { chat_id: chat.json.id, title: 'x' }),
    colleague.client.patch(`/api/tasks/${task.id}`, { status: 'completed' }),
    colleague.client.post(`/api/tasks/${task.id}/retry`),
    colleague.client.post(`/api/tasks/${task.id}/interrupt`),
    colleague.client.delete(`/api/tasks/${task.id}`),
  ];
  expect((await Promise.all(changes)).map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
  await user.client.patch(`/api/chats/${chat.json.id}/sharing`, { shared: false });
  expect(await ofProject()).toEqual([]);
  expect((await colleague.client.get(`/api/tasks/${task.id}`)).status).toBe(404);
  expect((await colleague.client.patch(`/api/tasks/${task.id}`, { status: 'completed' })).status).toBe(404);
  expect(await board()).toMatchObject({ columns: [{ status: 'pending', tasks: [], total: 0 }, {}, {}, {}, {}, {}] });
  expect((await user.client.get(`/api/board?project_id=${chat.json.id}`)).status).toBe(404);
});
