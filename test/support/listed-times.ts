import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { optionalDateToTs, tsToMs } from '@temporalio/common/lib/time.js';
import { scheduleSpecOf, type Timing } from '../../domain/schedules/timing.ts';

interface Span {
  readonly from: Date;
  readonly to: Date;
}

/**
 * Returns the times at which a Temporal server fires a schedule, `from` and `to` included, in milliseconds: at most
 * 1,000.
 */
export async function listTemporalTimes(client: Client, timing: Timing, { from, to }: Span): Promise<number[]> {
  const handle = await client.schedule.create({
    scheduleId: `times/${randomUUID()}`,
    spec: scheduleSpecOf(timing),
    action: { type: 'startWorkflow', workflowType: 'none', taskQueue: 'none' },
    state: { paused: true },
  });
  const { startTime } = await client.workflowService.listScheduleMatchingTimes({
    namespace: 'default',
    scheduleId: handle.scheduleId,
    // Its start is not included.
    startTime: optionalDateToTs(new Date(from.getTime() - 1_000)) ?? null,
    endTime: optionalDateToTs(to) ?? null,
  });
  await handle.delete();
  return startTime.map(tsToMs);
}
