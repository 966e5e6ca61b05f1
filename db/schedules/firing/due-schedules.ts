import type { Database } from '../../core/index.ts';
import { dueInTurns } from '../../core/sql/due-in-turns.ts';

/** A schedule whose slot may be due. */
export interface DueSchedule {
  readonly orgId: string;
  readonly scheduleId: string;
}

/**
 * Returns schedules whose slots are due, at most `limit`: the longest due of every organization, then the next of each.
 * No other process is given them for some seconds.
 */
export async function takeDueSchedules({ system }: Database, limit: number, now: Date): Promise<DueSchedule[]> {
  const { rows } = await system.query<DueSchedule>({
    name: 'take-due-schedules',
    text: `update schedules set due_at = $2::timestamptz + interval '10 seconds'
      where id = ${dueInTurns('schedules', { limit: '$1', now: '$2' })}
      returning id as "scheduleId", org_id as "orgId"`,
    values: [limit, now],
  });
  return rows;
}
