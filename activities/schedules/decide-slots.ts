import type { RunRef } from '../../db/agent-workflows/index.ts';
import type { Database } from '../../db/core/index.ts';
import { fireSchedule } from '../../db/schedules/index.ts';
import type { ScheduleKey } from '../../domain/core/due-work.ts';
import { settleAll } from '../../domain/core/settle-all.ts';
import type { OrgLimits } from '../../domain/orgs/index.ts';
import type { DecideSlotsInput, DecideSlotsResult } from '../../workflows/schedules/contract.ts';

export interface SlotDeps {
  readonly database: Database;
  readonly orgLimits: OrgLimits;
  /** Begins the turn of a run, or stops it. */
  readonly advanceRun: (run: RunRef) => Promise<void>;
  /** Removes the Temporal Schedule of a schedule that is gone. */
  readonly removeSchedule: (schedule: ScheduleKey) => Promise<void>;
}

/** The slots that one call decides at most: a schedule may have missed thousands. */
const MAX_SLOTS = 20;
/** How far the clock of this machine may be behind that of Temporal, in milliseconds. */
const CLOCK_DIFFERENCE_MS = 10_000;

const ENDED: DecideSlotsResult = { hasEnded: true, waitMs: 0 };

/**
 * Makes the activity that decides the slots of a schedule that are due, oldest first, and begins their runs. The row
 * says which these are: a slot that it does not know starts nothing.
 */
export function createDecideSlots({ database, orgLimits, advanceRun, removeSchedule }: SlotDeps) {
  return async function decideSlots({ orgId, scheduleId, slot }: DecideSlotsInput): Promise<DecideSlotsResult> {
    const schedule = { orgId, scheduleId };
    for (let decided = 0; decided < MAX_SLOTS; decided += 1) {
      const now = timeAt(slot);
      const fired = await fireSchedule(database, schedule, now, orgLimits);
      if (fired === undefined) {
        // The process that was to remove its Temporal Schedule has died.
        await removeSchedule(schedule);
        return ENDED;
      }
      await settleAll(fired.begun.map(async (runId) => advanceRun({ orgId, runId })));
      const { next } = fired;
      if (next === undefined || next.slot > now) return ENDED;
      if (next.dueAt > now) return { hasEnded: false, waitMs: next.dueAt.getTime() - now.getTime() };
    }
    return { hasEnded: false, waitMs: 0 };
  };
}

// Nobody makes a slot come early by an id with another time.
function timeAt(slot: number): Date {
  const now = Date.now();
  return new Date(slot > now && slot <= now + CLOCK_DIFFERENCE_MS ? slot : now);
}
