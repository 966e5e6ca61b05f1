import type { ScheduleKey } from '../../../domain/core/due-work.ts';
import type { Database } from '../../core/index.ts';

/** A schedule that may have a Temporal Schedule. */
export interface StoredSchedule extends ScheduleKey {
  readonly isActive: boolean;
  /** Whether its Temporal Schedule was made of what has not changed for ten minutes. */
  readonly isSettled: boolean;
}

/** Returns which of these schedules there are, by their ids. */
export async function readScheduleIds({ system }: Database, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await system.query<{ id: string }>({
    name: 'read-schedule-ids',
    text: 'select id from schedules where id = any($1)',
    values: [ids],
  });
  return new Set(rows.map(({ id }) => id));
}

/** Returns schedules in the order of their organizations: those after `after`, at most `limit`. */
export async function readSchedulesAfter(
  { system }: Database,
  after: ScheduleKey,
  limit: number,
): Promise<readonly StoredSchedule[]> {
  const { rows } = await system.query<StoredSchedule>({
    name: 'read-schedules-after',
    text: `select id as "scheduleId", org_id as "orgId", is_active as "isActive",
        applied_version = version and updated_at < now() - interval '10 minutes' as "isSettled"
      from schedules where (org_id, id) > ($1, $2) order by org_id, id limit $3`,
    values: [after.orgId, after.scheduleId, limit],
  });
  return rows;
}

/** Notes that these schedules have no Temporal Schedule as their rows would have it. */
export async function forgetApplied({ system }: Database, ids: readonly string[]): Promise<void> {
  await system.query({
    name: 'forget-applied-schedules',
    text: 'update schedules set applied_version = 0 where id = any($1)',
    values: [ids],
  });
}
