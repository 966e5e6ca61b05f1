import { findLaggingSchedules, type LaggingSchedule } from '../db/schedules/index.ts';
import { startScheduleSlot } from '../workflows/schedules/client.ts';
import { type ApplyDeps, applySchedule } from './apply-schedule.ts';

/** Schedules that one call takes up at most, and those at once. */
const MAX_SCHEDULES = 1_000;
const AT_ONCE = 20;

/**
 * Tells Temporal of schedules whose process died before it could, and fires those that Temporal has not fired, because
 * its store was lost or somebody has removed something there. Harmless to repeat, in several processes at once. One
 * that fails keeps no other waiting; throws at the end, and at once when Temporal is away.
 */
export async function recoverSchedules(deps: ApplyDeps): Promise<void> {
  const lagging = await findLaggingSchedules(deps.database, MAX_SCHEDULES);
  const failures: unknown[] = [];
  for (let at = 0; at < lagging.length; at += AT_ONCE) {
    const outcomes = await Promise.allSettled(lagging.slice(at, at + AT_ONCE).map(async (each) => recover(deps, each)));
    const failed = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    failures.push(...failed);
    if (failed.length === outcomes.length) break;
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} schedules could not be recovered`);
}

async function recover(deps: ApplyDeps, { overdueSlot, ...key }: LaggingSchedule): Promise<void> {
  await applySchedule(deps, key);
  if (overdueSlot !== null) await startScheduleSlot(deps.temporal, key, overdueSlot);
}
