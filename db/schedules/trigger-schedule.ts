import { AppError } from '../../domain/core/app-error.ts';
import type { Membership } from '../../domain/orgs/index.ts';
import type { ScheduleRunTrigger } from '../../domain/schedules/index.ts';
import { type CreatedRun, findRunByKey, type RunLimits, storeScheduleRun } from '../agent-workflows/index.ts';
import { type Database, withOrgTransaction } from '../core/index.ts';
import { runOf } from './run-of.ts';
import { lockSchedule, type ScheduleRef } from './schedules.ts';

/** What starts a run of a schedule outside its times. */
interface ScheduleTrigger extends ScheduleRef {
  readonly triggeredBy: Exclude<ScheduleRunTrigger, 'cron'>;
  readonly deliveryKey: string | undefined;
}

/**
 * Stores a run of a schedule outside its times, active or not, in the name of the caller. With a `deliveryKey` that
 * came before it returns the first run. `conflict` and `limit_reached` when there is no room.
 */
export async function triggerSchedule(
  database: Database,
  { orgId, userId }: Membership,
  { deliveryKey, triggeredBy, ...ref }: ScheduleTrigger,
  limits: RunLimits,
): Promise<CreatedRun> {
  return withOrgTransaction(database, orgId, async (em) => {
    const schedule = await lockSchedule(em, ref);
    const first = deliveryKey === undefined ? undefined : await findRunByKey(em, schedule.id, deliveryKey);
    if (first !== undefined) return { runId: first, isNew: false };
    const run = { ...runOf(schedule, new Date()), userId, triggeredBy, slot: null, deliveryKey } as const;
    const stored = await storeScheduleRun(em, { ...run, isQueued: false }, limits);
    if (stored instanceof AppError) throw stored;
    return { runId: stored, isNew: true };
  });
}
