import type { EntityManager } from '@mikro-orm/postgresql';
import { AppError } from '../../domain/core/app-error.ts';
import type { Membership } from '../../domain/orgs.ts';
import { isOneAtATime, type ScheduleRunTrigger } from '../../domain/schedules/decide-slot.ts';
import { slotsBetween } from '../../domain/schedules/timing.ts';
import { type CreatedRun, findRunByKey, type RunLimits } from '../agent-workflows/runs/create-run.ts';
import { dequeueRuns } from '../agent-workflows/runs/run-queue.ts';
import { readSlotsWithRun, storeScheduleRun } from '../agent-workflows/schedule-runs.ts';
import type { Database } from '../core/database.ts';
import { withOrgTransaction } from '../core/transactions.ts';
import { runOf } from './runs.ts';
import { lockSchedule, type ScheduleRef } from './schedules.ts';
import type { Schedule } from './schedule.entity.ts';

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

/** The most slots that one call backfills. */
const MAX_SLOTS = 100;
/** The count of too many slots stops here. */
const MAX_COUNTED = 10_000;

/** The results of past slots. */
interface Backfilled {
  readonly created: number;
  /** Those that have had a run before. */
  readonly skipped: number;
  /** The runs that may begin. */
  readonly begun: readonly string[];
}

/**
 * Stores runs of a locked schedule for the slots of a time that have none, in the name of the caller: one after the
 * other where runs of the schedule must not overlap. Nothing is stored when there are too many, or no room for all.
 */
export async function backfillSchedule(
  em: EntityManager,
  { userId }: Membership,
  { schedule, ...span }: { readonly schedule: Schedule; readonly from: Date; readonly to: Date },
  limits: RunLimits,
): Promise<Backfilled> {
  const slots = slotsBetween(schedule, { ...span, limit: MAX_COUNTED });
  if (slots.length > MAX_SLOTS) throw tooMany(slots.length);
  const known = await readSlotsWithRun(em, schedule.id, slots);
  const missing = slots.filter((slot) => !known.has(slot.getTime()));
  const isQueued = isOneAtATime(schedule.overlap);
  const stored: string[] = [];
  for (const slot of missing) {
    const run = { ...runOf(schedule, slot), userId, triggeredBy: 'cron', slot, isQueued } as const;
    const id = await storeScheduleRun(em, run, limits);
    if (id instanceof AppError) throw id;
    stored.push(id);
  }
  const begun = isQueued ? await dequeueRuns(em, { workflowId: null, scheduleId: schedule.id }) : stored;
  return { created: stored.length, skipped: known.size, begun };
}

function tooMany(slots: number): AppError {
  const count = slots > MAX_COUNTED ? `more than ${MAX_COUNTED}` : String(slots);
  return new AppError(
    'unprocessable',
    `There are ${count} times between from and to, and one request backfills ${MAX_SLOTS} at most`,
  );
}
