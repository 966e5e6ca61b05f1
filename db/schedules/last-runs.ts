import type { ScheduleRunStatus } from '../../domain/schedules/index.ts';
import { SCHEDULE_RUN_STATUS } from '../agent-workflows/index.ts';
import type { Database } from '../core/index.ts';

/** The newest run of a schedule. */
export interface LastRun {
  readonly id: string;
  readonly status: ScheduleRunStatus;
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
}

/** Returns the newest runs of schedules, by the ids of those. */
export async function readLastRuns(
  { tenant }: Database,
  orgId: string,
  scheduleIds: readonly string[],
): Promise<ReadonlyMap<string, LastRun>> {
  if (scheduleIds.length === 0) return new Map();
  const rows = await tenant.query<LastRun & { readonly scheduleId: string }>(orgId, {
    name: 'last-runs-of-schedules',
    text: `select s.id as "scheduleId", r.id, ${SCHEDULE_RUN_STATUS} as status, r.started_at as "startedAt",
        r.completed_at as "completedAt"
      from unnest($1::uuid[]) s (id) cross join lateral (
        select * from workflow_runs where schedule_id = s.id order by id desc limit 1
      ) r`,
    values: [scheduleIds],
  });
  return new Map(rows.map(({ scheduleId, ...run }) => [scheduleId, run]));
}
