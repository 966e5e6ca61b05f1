import { findLaggingSchedules, type LaggingSchedule } from '../db/schedules/index.ts';
import { settleAll } from '../domain/core/settle-all.ts';
import { startScheduleSlot } from '../workflows/schedules/client.ts';
import { type ApplyDeps, applySchedule } from './apply-schedule.ts';

/** Schedules that one call takes up at most, and those at once. */
const MAX_SCHEDULES = 1_000;
const AT_ONCE = 20;

/**
 * Tells Temporal of schedules whose process died before it could, and fires those that Temporal has not fired, because
 * its store was lost or somebody has removed something there. Harmless to repeat, in several processes at once.
 */
export async function recoverSchedules(deps: ApplyDeps): Promise<void> {
  const lagging = await findLaggingSchedules(deps.database, MAX_SCHEDULES);
  for (let at = 0; at < lagging.length; at += AT_ONCE)
    await settleAll(lagging.slice(at, at + AT_ONCE).map(async (each) => recover(deps, each)));
}

async function recover(deps: ApplyDeps, { overdueSlot, ...key }: LaggingSchedule): Promise<void> {
  await applySchedule(deps, key);
  if (overdueSlot !== null) await startScheduleSlot(deps.temporal, key, overdueSlot);
}
