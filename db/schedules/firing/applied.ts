import type { Timing } from '../../../domain/schedules/index.ts';
import type { Database, ScheduleKey } from '../../core/index.ts';

/** What the Temporal Schedule of a schedule is made of. */
interface AppliedSchedule extends Timing {
  readonly isActive: boolean;
  readonly catchupMinutes: number;
  readonly jitterSeconds: number;
  readonly version: number;
  readonly appliedVersion: number;
}

/** Returns what the Temporal Schedule of a schedule is to be made of; `undefined` when there is no such schedule. */
export async function readForApplying(
  { tenant }: Database,
  { orgId, scheduleId }: ScheduleKey,
): Promise<AppliedSchedule | undefined> {
  const [schedule] = await tenant.query<AppliedSchedule>(orgId, {
    name: 'read-schedule-for-applying',
    text: `select cron_expr as "cronExpr", interval_minutes as "intervalMinutes", timezone, created_at as "createdAt",
        start_at as "startAt", end_at as "endAt", is_active as "isActive", catchup_minutes as "catchupMinutes",
        jitter_seconds as "jitterSeconds", version, applied_version as "appliedVersion"
      from schedules where id = $1`,
    values: [scheduleId],
  });
  return schedule;
}

/** Notes that the Temporal Schedule is that of a version. Returns whether it is the newest. */
export async function noteApplied(
  { tenant }: Database,
  { orgId, scheduleId }: ScheduleKey,
  version: number,
): Promise<boolean> {
  const noted = await tenant.query(orgId, {
    name: 'note-applied-schedule',
    text: 'update schedules set applied_version = $2 where id = $1 and version = $2 returning id',
    values: [scheduleId, version],
  });
  return noted.length > 0;
}

/** Pauses a schedule of a version for a reason that comes from Temporal. Nothing happens when it has changed. */
export async function pauseByTemporal(
  { tenant }: Database,
  { orgId, scheduleId }: ScheduleKey,
  version: number,
  reason: string,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'pause-schedule-by-temporal',
    text: `update schedules set is_active = false, next_run_at = null, pause_reason = $3, updated_at = now()
      where id = $1 and version = $2 and is_active`,
    values: [scheduleId, version, reason],
  });
}

/** A schedule of which Temporal does not know what it should. */
export interface LaggingSchedule extends ScheduleKey {
  /** Its oldest slot that should have been decided some time ago, in milliseconds; null when there is none. */
  readonly overdueSlot: number | null;
}

/**
 * Returns schedules whose Temporal Schedule was not made of their newest version, or of which a slot is overdue by half
 * a minute: it was not fired, or its workflow is gone. In health there are none.
 */
export async function findLaggingSchedules({ system }: Database, limit: number): Promise<LaggingSchedule[]> {
  const { rows } = await system.query<LaggingSchedule>({
    name: 'find-lagging-schedules',
    text: `(select id as "scheduleId", org_id as "orgId", extract(epoch from next_run_at)::float8 * 1000 as "overdueSlot"
        from schedules where next_run_at < now() - interval '30 seconds'
          and next_run_at < now() - interval '30 seconds' - jitter_seconds * interval '1 second'
        order by next_run_at limit $1)
      union all
      (select id, org_id, null from schedules where applied_version <> version
          and (next_run_at is null or next_run_at >= now() - interval '30 seconds') order by id limit $1)`,
    values: [limit],
  });
  return rows;
}
