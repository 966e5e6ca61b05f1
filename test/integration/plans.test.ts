import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { completePlansOfCompleted } from '../../db/tasks/due-tasks.ts';
import { createAgent, createChat, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';

interface Task {
  readonly id: string;
  readonly status: string;
  readonly ended_at: string | null;
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
  agentId = await createAgent(user.client);
  chatId = await createChat(user.client, agentId);
});

const add = async (title: string, fields: Record<string, unknown> = {}) =>
  (await user.client.post<Task>('/api/tasks', { chat_id: chatId, title, ...fields })).json.id;
const part = async (planId: string, title: string, fields: Record<string, unknown> = {}) =>
  add(title, { parent_task_id: planId, ...fields });
const set = async (id: string, status: string) => user.client.patch(`/api/tasks/${id}`, { status });
const shown = async (id: string) => (await user.client.get<Task>(`/api/tasks/${id}`)).json;
const until = async (id: string, status: string) =>
  waitUntil(`the task to be ${status}`, async () => ((await shown(id)).status === status ? true : undefined));

describe('a plan', () => {
  test('is completed when all its parts are, however many end at once, and the plan above it with it', async () => {
    const goal = await add('Launch');
    const plan = await part(goal, 'Prepare');
    const parts: string[] = [];
    for (let n = 0; n < 6; n += 1)
      parts.push(await part(plan, '[[hold parts after 0 chunks]] [[say ok]]', { assigned_agent_id: agentId }));
    expect([(await shown(plan)).status, (await shown(goal)).status]).toEqual(['pending', 'pending']);
    instance.model.release('parts');
    for (const id of parts) await until(id, 'completed');
    await until(goal, 'completed');
    expect(await shown(plan)).toMatchObject({ status: 'completed', ended_at: expect.any(String) });
  });

  test('has what depends on it begun when it is completed', async () => {
    const plan = await add('Prepare');
    const first = await part(plan, 'By hand');
    const next = await add('[[say begun]]', { depends_on: [plan], assigned_agent_id: agentId });
    expect((await shown(next)).status).toBe('pending');
    await set(first, 'completed');
    expect((await shown(plan)).status).toBe('completed');
    await until(next, 'completed');
  });

  test('stays open while a part is open, failed or cancelled, until that is deleted', async () => {
    const plan = await add('Prepare');
    const [first, second] = [await part(plan, 'First'), await part(plan, 'Second')];
    await set(first, 'completed');
    await set(second, 'cancelled');
    expect((await shown(plan)).status).toBe('pending');
    await user.client.delete(`/api/tasks/${second}`);
    expect((await shown(plan)).status).toBe('completed');
  });

  test('stays open when its last part is deleted, and so does one that has an agent or was ended', async () => {
    const plan = await add('Prepare');
    await user.client.delete(`/api/tasks/${await part(plan, 'Only')}`);
    expect((await shown(plan)).status).toBe('pending');
    await set(plan, 'cancelled');
    await set(await part(plan, 'Late'), 'completed');
    expect((await shown(plan)).status).toBe('cancelled');
    const busy = await add('[[think 60s]]', { assigned_agent_id: agentId });
    await set(await part(busy, 'Of its own'), 'completed');
    expect((await shown(busy)).status).toBe('in_progress');
    await user.client.post(`/api/tasks/${busy}/interrupt`);
    await until(busy, 'interrupted');
  });

  test('is completed later when the database died between the two', async () => {
    const plan = await add('Prepare');
    const only = await part(plan, 'Only');
    await instance.api.database.system.query(`update tasks set status = 'completed', ended_at = now() where id = $1`, [
      only,
    ]);
    await completePlansOfCompleted(instance.api.database);
    expect((await shown(plan)).status).toBe('completed');
  });
});
