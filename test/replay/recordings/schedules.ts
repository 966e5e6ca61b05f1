import type { Client } from '@temporalio/client';
import { housekeepingId } from '../../../workflows/housekeeping/contract.ts';
import { scheduleSlotId } from '../../../workflows/schedules/contract.ts';
import { createAgent } from '../../support/factories.ts';
import type { TestInstance } from '../../support/test-instance.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type Recorder, type Recording, startTalk } from './recorder.ts';

/** Has the Schedule of the housekeeping start it. */
async function runHousekeeping(client: Client): Promise<string> {
  await client.schedule.getHandle(housekeepingId({ interval: 'minute' })).trigger();
  return waitUntil('the housekeeping', async () => {
    const query = "WorkflowType = 'housekeeping' and ExecutionStatus = 'Completed'";
    for await (const { workflowId } of client.workflow.list({ query })) return workflowId;
    return undefined;
  });
}

/** A slot of a schedule. */
async function scheduleSlot(instance: TestInstance, jitterSeconds: number): Promise<string> {
  const { user } = await startTalk(instance);
  const start_at = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 2_000).toISOString();
  const fields = { interval_minutes: 60, start_at, jitter_seconds: jitterSeconds };
  const agent_id = await createAgent(user.client);
  const schedule = { name: 'Report', agent_id, prompt: '[[say done]]', ...fields };
  const { json } = await user.client.post<{ id: string }>('/api/schedules', schedule);
  return scheduleSlotId({ orgId: user.orgId, scheduleId: json.id }, Date.parse(start_at));
}

export async function recordSchedules({ instance, client }: Recorder): Promise<Recording[]> {
  return [
    { name: 'housekeeping', workflowId: await runHousekeeping(client) },
    { name: 'schedule-slot', workflowId: await scheduleSlot(instance, 0) },
    { name: 'schedule-slot-with-jitter', workflowId: await scheduleSlot(instance, 10) },
  ];
}
