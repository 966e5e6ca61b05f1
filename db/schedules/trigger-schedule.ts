import { AppError } from '../../domain/core/app-error.ts';
import type { Membership } from '../../domain/orgs.ts';
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
    const of = { kind: 'schedule', id: ref.id } as const;
    // Before anything is checked: a repetition is not refused for what has changed since.
    const stored = await findRunByKey(em, of, deliveryKey);
    if (stored !== undefined) return { runId: stored, isNew: false };
    const schedule = await lockSchedule(em, ref);
    const meanwhile = await findRunByKey(em, of, deliveryKey);
    if (meanwhile !== undefined) return { runId: meanwhile, isNew: false };
    const run = { ...runOf(schedule, new Date()), userId, triggeredBy, slot: null, deliveryKey } as const;
    const runId = await storeScheduleRun(em, { ...run, isQueued: false }, limits);
    if (runId instanceof AppError) throw runId;
    return { runId, isNew: true };
  });
}
