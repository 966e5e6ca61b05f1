import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { recoverDueWork } from '../../worker/recover-due-work.ts';
import { WORKFLOWS_OF_WORK } from '../../workflows/due-work/contract.ts';
import { housekeepingId, purgeOrgId } from '../../workflows/housekeeping/contract.ts';
import { taskWorkflowId } from '../../workflows/tasks/contract.ts';
import { conversationId, subAgentId } from '../../workflows/turns/contract.ts';
import { createAgent, createChat, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { longTest } from '../support/in-length.ts';
import { actAsOperator, OPERATOR_ACTIONS, type OperatorAction } from '../support/operator.ts';
import { json, OutsideServer } from '../support/outside-server.ts';
import { SseClient } from '../support/sse-client.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';

interface Approval {
  readonly id: string;
  readonly chat_id: string;
}

let instance: TestInstance;
let connection: Connection;
let temporal: Client;
let receiver: OutsideServer;
let user: TestUser;
beforeAll(async () => {
  receiver = await OutsideServer.start();
  instance = await startTestInstance();
  connection = await Connection.connect({ address: instance.temporalAddress });
  temporal = new Client({ connection });
});
afterAll(async () => {
  await connection.close();
  await instance.close();
  receiver.close();
});
beforeEach(async () => {
  user = await registerUser(instance.api.url);
  await createProvider(user.client, instance.model.url);
});

const read = async <T>(path: string): Promise<T> => (await user.client.get<T>(path)).json;
const query = async (text: string, values: unknown[]) =>
  (await instance.api.database.system.query<Record<string, unknown>>(text, values)).rows;

/** What waits for a decision before it is noted. */
const NOTE = `[[tool memory_manage ${JSON.stringify({ action: 'add', content: 'noted once' })}]] [[then]] [[say noted]]`;
const noteTaker = async (name: string, fields: Record<string, unknown> = {}) =>
  createAgent(user.client, {
    name,
    tools: ['memory_manage', 'agent_spawn'],
    requires_approval: { memory_manage: 'writes' },
    ...fields,
  });

async function say(chatId: string, content: string): Promise<void> {
  const url = `${instance.api.url}/api/chats/${chatId}/stream`;
  (await SseClient.open({ url, token: user.accessToken, body: { content } })).close();
}

async function pending(): Promise<Approval> {
  return waitUntil('a call to wait', async () => (await read<Approval[]>('/api/approvals?status=pending'))[0]);
}

async function approve(): Promise<void> {
  await user.client.post(`/api/approvals/${(await pending()).id}/decision`, { approve: true });
}

/** Waits until a workflow has begun to wait. */
async function waiting(id: string): Promise<WorkflowHandle> {
  const workflow = temporal.workflow.getHandle(id);
  await waitUntil(`${id} to wait`, async () => {
    const description = await workflow.describe().catch(() => undefined);
    const hasBegun = Number(description?.raw.workflowExecutionInfo?.historyLength ?? 0) > 4;
    return hasBegun && (description?.raw.pendingActivities ?? []).length === 0 ? true : undefined;
  });
  return workflow;
}

const notes = async () => query('select content from agent_memories where org_id = $1', [user.orgId]);

async function answered(chatId: string, answer: string): Promise<void> {
  await waitUntil('the answer', async () => {
    const messages = await read<{ role: string; content: string }[]>(`/api/chats/${chatId}/messages`);
    return messages.some(({ role, content }) => role === 'assistant' && content === answer) || undefined;
  });
}

/** What each action is done to in every run, beside a conversation. */
const IN_EVERY_RUN: Readonly<Record<OperatorAction, 'sub-agent' | 'task' | 'webhook'>> = {
  cancelled: 'task',
  terminated: 'webhook',
  deleted: 'sub-agent',
  reset: 'task',
};

describe.each(OPERATOR_ACTIONS)('a workflow that an operator has %s in Temporal:', (action) => {
  const act = async (workflow: WorkflowHandle) => actAsOperator(temporal, workflow, action);
  const testOf = (target: string) => (IN_EVERY_RUN[action] === target ? test : longTest);

  test('a conversation answers its turn, once', async () => {
    const chatId = await createChat(user.client, await noteTaker('Taker'));
    await say(chatId, NOTE);
    await pending();
    await act(await waiting(conversationId({ orgId: user.orgId, chatId })));
    await approve();
    await answered(chatId, 'noted');
    expect(await notes()).toEqual([{ content: 'noted once' }]);
  });

  testOf('sub-agent')('a sub-agent does its task, once', async () => {
    await noteTaker('Taker');
    const chatId = await createChat(user.client, await noteTaker('Leader'));
    await say(chatId, `[[tool agent_spawn ${JSON.stringify({ agent: 'Taker', task: NOTE })}]] [[then]] [[say done]]`);
    await pending();
    const [sub] = await query('select sub_chat_id as id from tasks where sub_chat_id is not null and org_id = $1', [
      user.orgId,
    ]);
    await act(await waiting(subAgentId({ orgId: user.orgId, chatId: String(sub?.['id']) })));
    await approve();
    await answered(chatId, 'done');
    expect(await notes()).toEqual([{ content: 'noted once' }]);
  });

  testOf('task')('a task of an agent is done, once, or interrupted', async () => {
    const agentId = await noteTaker('Taker');
    const fields = { chat_id: await createChat(user.client, agentId), title: NOTE, assigned_agent_id: agentId };
    const { json: task } = await user.client.post<{ id: string }>('/api/tasks', fields);
    await pending();
    await act(await waiting(taskWorkflowId({ orgId: user.orgId, taskId: task.id })));
    if (action !== 'cancelled') await approve();
    const status = action === 'cancelled' ? 'interrupted' : 'completed';
    const ended = await waitUntil(`the task to be ${status}`, async () => {
      const shown = await read<{ status: string; attempts: number }>(`/api/tasks/${task.id}`);
      return shown.status === status ? shown : undefined;
    });
    expect([ended.attempts, await notes()]).toEqual([1, action === 'cancelled' ? [] : [{ content: 'noted once' }]]);
  });

  testOf('webhook')('the deliveries of a webhook are made, once', async () => {
    const chatId = await createChat(user.client, await createAgent(user.client));
    receiver.seen.length = 0;
    receiver.reply = (response) => void response.writeHead(503, { 'retry-after': '3600' }).end();
    const path = `/api/chats/${chatId}/webhook`;
    await user.client.patch(path, { url: receiver.url });
    await say(chatId, '[[say hello]]');
    // The attempt is over when its workflow waits after that: it would store a later time over the one set below.
    await waitUntil('the failure to be noted', async () => {
      const [delivery] = await read<{ error: string | null }[]>(`${path}/deliveries`);
      return typeof delivery?.error === 'string' ? true : undefined;
    });
    const [target] = await query('select id from webhook_targets where chat_id = $1', [chatId]);
    const workflow = await waiting(
      WORKFLOWS_OF_WORK.webhook.idOf({ orgId: user.orgId, targetId: String(target?.['id']) }),
    );
    expect(receiver.seen).toHaveLength(1);
    await act(workflow);
    receiver.reply = json({});
    // As if its time had come; a scan of a worker finds it.
    for (const table of ['webhook_deliveries set next_attempt_at', 'webhook_targets set due_at'])
      await query(`update ${table} = now() - interval '1 minute' where org_id = $1`, [user.orgId]);
    await waitUntil('the delivery', async () => {
      await recoverDueWork({ database: instance.api.database, client: temporal });
      const [delivery] = await read<{ status: string }[]>(`${path}/deliveries`);
      return delivery?.status === 'delivered' || undefined;
    });
    expect(receiver.seen).toHaveLength(2);
  });

  longTest('the files of a deleted organization are removed', async () => {
    const { orgId } = user;
    const folder = join(instance.workspaces, orgId);
    mkdirSync(folder);
    await user.client.delete(`/api/orgs/${orgId}`);
    await waitUntil('its records to be gone', async () => {
      const [purged] = await query('select id from purged_orgs where id = $1', [orgId]);
      return purged;
    });
    // Its files are removed some seconds later.
    await act(await waiting(purgeOrgId({ orgId })));
    // As if that was a while ago: the housekeeping of the next minute looks for it.
    await query("update purged_orgs set purged_at = now() - interval '5 minutes' where id = $1", [orgId]);
    await waitUntil('the files to be removed', () => !existsSync(folder) || undefined);
  });

  longTest('the housekeeping of a minute is done by a later one, or by it', async () => {
    const housekeeping = housekeepingId({ interval: 'minute' });
    const blocker = await instance.api.database.system.connect();
    await blocker.query('begin');
    // One of its jobs reads this.
    await blocker.query('lock table purged_orgs in access exclusive mode');
    await temporal.schedule.getHandle(housekeeping).trigger();
    const running = await waitUntil('the housekeeping to run', async () => {
      const open = temporal.workflow.list({
        query: `WorkflowId STARTS_WITH '${housekeeping}' AND ExecutionStatus = 'Running'`,
      });
      for await (const { workflowId } of open) return workflowId;
      return undefined;
    });
    const actedAt = new Date().toISOString();
    await act(temporal.workflow.getHandle(running));
    await blocker.query('rollback');
    blocker.release();
    const done = `WorkflowId STARTS_WITH '${housekeeping}' AND ExecutionStatus = 'Completed' AND CloseTime > '${actedAt}'`;
    await waitUntil('the housekeeping to be done', async () =>
      (await temporal.workflow.count(done)).count > 0 ? true : undefined,
    );
  });
});
