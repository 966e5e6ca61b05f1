import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { DueWork } from '../domain/core/due-work.ts';
import { parseOrgLimits } from '../domain/orgs.ts';
import { createAgent, createChat, registerUser, type TestUser } from '../test/support/factories.ts';
import { fillRoom } from '../test/support/full-room.ts';
import { startTestApi, type TestApi } from '../test/support/test-api.ts';
import { createTestDatabase, type TestDatabase } from '../test/support/test-database.ts';
import { createNextStepOfTask } from './next-steps.ts';

let testDatabase: TestDatabase;
let api: TestApi;
let user: TestUser;
let agentId: string;
let chatId: string;
const woken: DueWork[] = [];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  api = await startTestApi({ databaseUrl: testDatabase.url, temporalAddress: '127.0.0.1:1' });
  api.database.onDueWork((work) => void woken.push(work));
});

afterAll(async () => {
  await api.close();
  await testDatabase.drop();
});

beforeEach(async () => {
  user = await registerUser(api.url);
  agentId = await createAgent(user.client);
  chatId = await createChat(user.client, agentId);
  woken.length = 0;
});

interface Task {
  readonly id: string;
  readonly status: string;
  readonly attempts: number;
}

async function add(fields: Record<string, unknown> = {}): Promise<Task> {
  const added = { chat_id: chatId, title: 'Call', assigned_agent_id: agentId, ...fields };
  return (await user.client.post<Task>('/api/tasks', added)).json;
}

const shown = async (id: string) => (await user.client.get<Task>(`/api/tasks/${id}`)).json;
const ask = async (taskId: string, isCancelled = false) =>
  createNextStepOfTask({ database: api.database, limits: parseOrgLimits('') })({
    orgId: user.orgId,
    taskId,
    isCancelled,
  });
const wokenTasks = () => woken.flatMap((work) => (work.kind === 'task' ? work.taskId : []));
const forTurn = { kind: 'wait', until: expect.any(Number), details: 'Attempt 1. Waits for the end of its turn.' };
const forRoom = { kind: 'wait', until: expect.any(Number), details: 'Waits for room for another turn.' };
const fill = async () => fillRoom(api.database, { orgId: user.orgId, userId: user.id });

test('a task that its agent works on is followed until it has ended', async () => {
  const { id, status } = await add();
  expect([status, wokenTasks()]).toEqual(['in_progress', [id]]);
  expect(await ask(id)).toEqual(forTurn);
  expect(await ask(id)).toEqual(forTurn);
  await api.database.system.query("update turns set status = 'completed', ended_at = now() where task_id = $1", [id]);
  expect(await ask(id)).toEqual({ kind: 'closed' });
  expect(await shown(id)).toMatchObject({ attempts: 1 });
});

test('a task without room waits, and begins when the end of a turn leaves some', async () => {
  const room = await fill();
  const { id, status } = await add();
  expect([status, wokenTasks()]).toEqual(['pending', [id]]);
  expect(await ask(id)).toEqual(forRoom);
  woken.length = 0;
  await room.endOne();
  expect(wokenTasks()).toEqual([id]);
  expect(await ask(id)).toEqual(forTurn);
  woken.length = 0;
  await room.endOne();
  expect(wokenTasks()).toEqual([]);
});

test('a task in a deleted chat keeps no other from the room that it waits for', async () => {
  const room = await fill();
  const { id } = await add();
  await ask(id);
  await user.client.delete(`/api/chats/${chatId}`);
  await room.endOne();
  expect(await ask(id)).toEqual({ kind: 'closed' });
  woken.length = 0;
  await room.endOne();
  expect(wokenTasks()).toEqual([]);
});

test('a task that waits for others, or for a person, has no workflow', async () => {
  const first = await add({ assigned_agent_id: null });
  const { id } = await add({ depends_on: [first.id] });
  expect(wokenTasks()).toEqual([]);
  expect([await ask(first.id), await ask(id)]).toEqual([{ kind: 'closed' }, { kind: 'closed' }]);
  await user.client.patch(`/api/tasks/${first.id}`, { status: 'completed' });
  expect(wokenTasks()).toEqual([id]);
  expect(await ask(id)).toEqual(forTurn);
});

test('an attempt is asked to stop when the workflow of its task is cancelled', async () => {
  const { id } = await add();
  expect(await ask(id, true)).toEqual(forTurn);
  const { rows } = await api.database.system.query(
    'select from turns where task_id = $1 and interrupt_requested_at is not null',
    [id],
  );
  expect(rows).toHaveLength(1);
});
