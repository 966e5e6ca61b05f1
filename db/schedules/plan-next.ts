import { nextSlot } from '../../domain/schedules/index.ts';
import type { Schedule } from './schedule.entity.ts';

/** Says which slot of an active schedule is the next; without one, or when it has started enough runs, it ends. */
export function planNext(schedule: Schedule, slot: Date | undefined): void {
  const { maxRuns, runsCount } = schedule;
  if (maxRuns !== null && runsCount >= maxRuns)
    return pause(schedule, `It has started ${runsCount} ${runsCount === 1 ? 'run' : 'runs'}, as max_runs says.`);
  if (slot === undefined) return pause(schedule, 'It has no further times.');
  schedule.isActive = true;
  schedule.pauseReason = null;
  schedule.nextRunAt = slot;
}

/** Plans the first slot after a time, as `planNext` does. */
export function planAfter(schedule: Schedule, after: Date): void {
  planNext(schedule, nextSlot(schedule, after));
}

/** Why a schedule without an agent starts no runs. */
export const NO_AGENT = 'It has no agent.';

/**
 * Lets a schedule start no more runs; `reason` says why in words, null when a person wants it. One without an agent
 * says that.
 */
export function pause(schedule: Schedule, reason: string | null): void {
  schedule.isActive = false;
  schedule.pauseReason = schedule.agentId === null ? NO_AGENT : reason;
  schedule.nextRunAt = null;
}
