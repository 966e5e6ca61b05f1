import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { fireSchedule } from '../../db/schedules/firing/fire-schedule.ts';
import { parseOrgLimits } from '../../domain/orgs.ts';
import { createAgent } from '../support/factories.ts';
import { json, OutsideServer } from '../support/outside-server.ts';
import { recoverRuns } from '../support/recover-due-work.ts';
import { type OwnInstance, startOwnInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

interface Run {
  readonly status: string;
  readonly output: string | null;
  readonly slot?: string | null;
}

let instance: OwnInstance;
let receiver: OutsideServer;
let chat: OpenChat;
beforeAll(async () => {
  receiver = await OutsideServer.start();
  instance = await startOwnInstance();
  chat = await OpenChat.create(instance, {
    agent: { tools: ['memory_manage'], requires_approval: { memory_manage: 'writes' } },
  });
});
afterAll(async () => {
  chat.close();
  await instance.close();
  receiver.close();
});

const api = () => chat.user.client;
const query = async (text: string, values: unknown[] = []) =>
  (await instance.api.database.system.query<Record<string, unknown>>(text, values)).rows;
const added = async (path: string, fields: object) => (await api().post<{ id: string }>(path, fields)).json.id;

/**
 * Leaves of the rows what the version before had stored, which had workflows for turns alone: it knew no version that
 * Temporal has seen, and no namespace.
 */
async function forgetTemporal(): Promise<void> {
  await query('update installation set namespace_id = null');
  await query(
    "update workflow_runs set seen_version = 0, waits_for_room = false, updated_at = now() - interval '1 hour'",
  );
  await query('update schedules set applied_version = 0');
  await query("update tasks set waits_for_room = false, due_at = now() - interval '1 hour' where status = 'pending'");
  await query("update webhook_deliveries set next_attempt_at = now() - interval '1 minute'");
  await query("update webhook_targets set due_at = now() - interval '1 minute'");
}

async function approveAll(count: number): Promise<void> {
  const pending = await waitUntil(`${count} decisions to be asked for`, async () => {
    const { json: all } = await api().get<{ id: string }[]>('/api/approvals?status=pending');
    return all.length === count ? all : undefined;
  });
  for (const { id } of pending) await api().post(`/api/approvals/${id}/decision`, { approve: true });
}

test('all that the version before has left open goes on, once, with new workers and an older one side by side', async () => {
  receiver.reply = (response) => void response.writeHead(503, { 'retry-after': '3600' }).end();
  const agentId = await createAgent(api(), { name: 'Reporter' });
  const note = `[[tool memory_manage ${JSON.stringify({ action: 'add', content: 'x' })}]] [[then]] [[say noted]]`;

  await chat.post({ content: note });
  const taker = { tools: ['memory_manage'], requires_approval: { memory_manage: 'writes' } };
  const takerId = await createAgent(api(), { name: 'Taker', ...taker });
  const task = { chat_id: chat.id, title: note, assigned_agent_id: takerId };
  const taskId = await added('/api/tasks', task);
  const steps = [{ name: 'send', prompt_template: '[[say sent]]', approval: true }];
  const workflowId = await added('/api/workflows', { name: 'Send', agent_id: agentId, steps, max_concurrent_runs: 1 });
  // The second one waits for the first.
  for (let each = 0; each < 2; each += 1) await api().post(`/api/workflows/${workflowId}/trigger`, {});
  const notified = await chat.another(agentId);
  const webhook = `/api/chats/${notified.id}/webhook`;
  await api().patch(webhook, { url: receiver.url });
  await notified.post({ content: '[[say told]]' });
  const report = { name: 'Report', agent_id: agentId, prompt: '[[say reported]]', interval_minutes: 60 };
  const scheduleId = await added('/api/schedules', report);
  await waitUntil('the delivery to have failed', () => (receiver.seen.length === 1 ? true : undefined));
  await waitUntil('what waits', async () => {
    const { json: all } = await api().get<unknown[]>('/api/approvals?status=pending');
    return all.length === 3 ? true : undefined;
  });

  await instance.killWorkers();
  await instance.loseTemporalStore();
  await forgetTemporal();
  const slot = new Date(Math.floor(Date.now() / 1_000) * 1_000 - 60_000);
  await query('update schedules set next_run_at = $2 where id = $1', [scheduleId, slot]);
  receiver.reply = json({});
  const key = { orgId: chat.user.orgId, scheduleId };
  const runsOfSchedule = async () => (await api().get<Run[]>(`/api/schedules/${scheduleId}/runs`)).json;
  // It decides what is due by the row alone, whatever Temporal knows.
  const olderWorker = async () =>
    waitUntil('the slot to have its run', async () => {
      await fireSchedule(instance.api.database, key, new Date(), parseOrgLimits(''));
      return (await runsOfSchedule()).length > 0 ? true : undefined;
    });
  await Promise.all([instance.addWorker(), instance.addWorker(), olderWorker()]);
  // The older one has begun no workflow for its run.
  await recoverRuns(instance);

  await approveAll(3);
  await approveAll(1);
  const runsOfWorkflow = async () => (await api().get<Run[]>(`/api/workflows/${workflowId}/runs`)).json;
  await waitUntil('the runs to end', async () => {
    const runs = [...(await runsOfSchedule()), ...(await runsOfWorkflow())];
    return runs.every(({ status }) => status === 'completed') ? true : undefined;
  });
  expect(await runsOfWorkflow()).toMatchObject([{ output: 'sent' }, { output: 'sent' }]);
  expect(await runsOfSchedule()).toMatchObject([{ output: 'reported', slot: slot.toISOString() }]);
  await waitUntil('the delivery', () => (receiver.seen.length > 1 ? true : undefined));
  const ended = await waitUntil('the task to end', async () => {
    const { json: shown } = await api().get<{ status: string; attempts: number }>(`/api/tasks/${taskId}`);
    return shown.status === 'completed' ? shown : undefined;
  });
  expect([ended.attempts, receiver.seen.length]).toEqual([1, 2]);
  await waitUntil('the answer', async () =>
    (await chat.answers()).some(({ content }) => content === 'noted') ? true : undefined,
  );
  expect(await query('select count(*)::int as notes from agent_memories')).toEqual([{ notes: 2 }]);
  notified.close();
});
