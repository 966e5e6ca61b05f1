import type { Client, WorkflowHandle } from '@temporalio/client';
import { WAKE } from '../../../workflows/core/contract.ts';
import { taskWorkflowId } from '../../../workflows/tasks/contract.ts';
import { createAgent, createChat, type TestUser } from '../../support/factories.ts';
import { fillRoom } from '../../support/full-room.ts';
import type { TestInstance } from '../../support/test-instance.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type Recorder, type Recording, startTalk, untilAsked } from './recorder.ts';

/** Adds a task whose agent begins as soon as it may. */
async function addTask({ user }: { readonly user: TestUser }, title: string) {
  const agentId = await createAgent(user.client);
  const chatId = await createChat(user.client, agentId);
  const added = { chat_id: chatId, title, assigned_agent_id: agentId };
  const { id } = (await user.client.post<{ id: string }>('/api/tasks', added)).json;
  const reach = async (state: string) =>
    waitUntil(`the task to be ${state}`, async () => {
      const { json } = await user.client.get<{ status: string }>(`/api/tasks/${id}`);
      return json.status === state || undefined;
    });
  return { reach, task: taskWorkflowId({ orgId: user.orgId, taskId: id }) };
}

/** A task that an agent works on at once. */
async function doTask(instance: TestInstance): Promise<string> {
  const { task, reach } = await addTask(await startTalk(instance), '[[say sent]]');
  await reach('completed');
  return task;
}

/** A task whose workflow is cancelled while an agent works on it. */
async function cancelTask(instance: TestInstance, client: Client): Promise<string> {
  const { task, reach } = await addTask(await startTalk(instance), '[[say a]] [[think 60s]]');
  const handle = client.workflow.getHandle(task);
  await untilAsked(handle);
  await handle.cancel();
  await reach('interrupted');
  return task;
}

/** A task that waits until the end of another turn leaves room for its own. */
async function waitForRoom(
  instance: TestInstance,
  client: Client,
  meanwhile: (workflow: WorkflowHandle) => Promise<unknown> = untilAsked,
): Promise<string> {
  const talk = await startTalk(instance);
  const { orgId, id: userId } = talk.user;
  const room = await fillRoom(instance.api.database, { orgId, userId });
  const { task, reach } = await addTask(talk, '[[say sent]]');
  await meanwhile(client.workflow.getHandle(task));
  await room.endOne();
  await reach('completed');
  await room.empty();
  return task;
}

/** A task whose workflow is woken in vain until it continues as new. */
export async function wakeTask(instance: TestInstance, client: Client): Promise<string> {
  return waitForRoom(instance, client, async (workflow) => {
    await untilAsked(workflow);
    const { runId } = await workflow.describe();
    await waitUntil('the workflow to continue as new', async () => {
      await workflow.signal(WAKE);
      return (await workflow.describe()).runId === runId ? undefined : true;
    });
  });
}

export async function recordTasks({ instance, client }: Recorder): Promise<Recording[]> {
  return [
    { name: 'task', workflowId: await doTask(instance) },
    { name: 'task-cancelled', workflowId: await cancelTask(instance, client) },
    { name: 'task-waited-for-room', workflowId: await waitForRoom(instance, client) },
  ];
}
