import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Database, ScheduleKey } from '../db/core/index.ts';
import { noteApplied, pauseByTemporal, readForApplying } from '../db/schedules/index.ts';
import { KeyedSemaphore } from '../domain/core/keyed-semaphore.ts';
import { scheduleSpecOf } from '../domain/schedules/index.ts';
import { removeTemporalSchedule, writeTemporalSchedule } from '../workflows/schedules/client.ts';

export interface ApplyDeps {
  readonly database: Database;
  readonly temporal: Client;
}

/** Times that a schedule is written anew because it has changed meanwhile. */
const MAX_WRITES = 5;
/** Schedules that one process writes at once, and those that wait for it. */
const AT_ONCE = { perKey: 2, total: 8, maxWaiting: 1_000 };

/**
 * Makes the Temporal Schedule of a schedule from its row, or removes it when the row is gone. Harmless to repeat, in
 * several processes at once: whoever finds that the row has changed meanwhile does it again. Throws when the engine
 * does not respond.
 */
export async function applySchedule({ database, temporal }: ApplyDeps, key: ScheduleKey): Promise<void> {
  for (let writes = 0; writes < MAX_WRITES; writes += 1) {
    const schedule = await readForApplying(database, key);
    if (schedule === undefined) return removeTemporalSchedule(temporal, key);
    const { version, isActive, catchupMinutes, jitterSeconds, appliedVersion } = schedule;
    const reason = await writeTemporalSchedule(temporal, {
      ...key,
      spec: scheduleSpecOf(schedule),
      isActive,
      catchupMs: catchupMinutes * 60_000 + jitterSeconds * 1_000,
      fairnessKey: database.payers.known(key.orgId).ownerId,
      isNew: appliedVersion === 0,
    });
    if (reason !== undefined && isActive) await pauseByTemporal(database, key, version, reason);
    else if (await noteApplied(database, key, version)) return;
  }
}

/**
 * Returns what applies schedules that have changed, in the background and a few at once. What fails here, or is lost
 * with the process, the sweep of a worker does within two minutes.
 */
export function applySchedulesInBackground(deps: ApplyDeps & { readonly log: Logger }): (key: ScheduleKey) => void {
  const createError = () => new Error('too many schedules wait for Temporal');
  const bound = new KeyedSemaphore({ ...AT_ONCE, createError });
  return (key) => {
    bound
      .hold(key.orgId, async () => applySchedule(deps, key))
      .catch((error: unknown) => {
        deps.log.warn({ err: error, ...key }, 'a schedule could not be told to Temporal at once; it is told later');
      });
  };
}
