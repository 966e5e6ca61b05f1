import type { DueWork, ScheduleKey } from '../../../domain/core/due-work.ts';
import { scheduleSpecOf, type Timing } from '../../../domain/schedules/index.ts';
import type { Database } from '../../core/index.ts';
import { fairBatch } from '../../core/sql.ts';

interface Applied extends Timing {
  readonly isActive: boolean;
  readonly catchupMinutes: number;
  readonly jitterSeconds: number;
  readonly version: number;
  readonly appliedVersion: number;
  readonly installationId: string;
}

/** Returns what the rows of schedules say of their Temporal Schedules, and what is noted of these (`applySchedule`). */
export function scheduleRows({ tenant, payers }: Pick<Database, 'tenant' | 'payers'>) {
  return {
    read: async ({ orgId, scheduleId }: ScheduleKey) => {
      const [schedule] = await tenant.query<Applied>(orgId, {
        name: 'read-schedule-for-applying',
        text: `select cron_expr as "cronExpr", interval_minutes as "intervalMinutes", timezone, created_at as "createdAt",
            start_at as "startAt", end_at as "endAt", is_active as "isActive", catchup_minutes as "catchupMinutes",
            jitter_seconds as "jitterSeconds", version, applied_version as "appliedVersion",
            (select id from installation) as "installationId"
          from schedules where id = $1`,
        values: [scheduleId],
      });
      if (schedule === undefined) return undefined;
      const { version, isActive, catchupMinutes, jitterSeconds, appliedVersion, installationId } = schedule;
      return {
        version,
        installationId,
        spec: scheduleSpecOf(schedule),
        isActive,
        catchupMs: catchupMinutes * 60_000 + jitterSeconds * 1_000,
        fairnessKey: (await payers.of(orgId)).ownerId,
        isNew: appliedVersion === 0,
      };
    },

    noteApplied: async ({ orgId, scheduleId }: ScheduleKey, version: number) => {
      const noted = await tenant.query(orgId, {
        name: 'note-applied-schedule',
        text: 'update schedules set applied_version = $2 where id = $1 and version = $2 returning id',
        values: [scheduleId, version],
      });
      return noted.length > 0;
    },

    pause: async ({ orgId, scheduleId }: ScheduleKey, version: number, reason: string) => {
      await tenant.query(orgId, {
        name: 'pause-schedule-by-temporal',
        text: `update schedules set is_active = false, next_run_at = null, pause_reason = $3, updated_at = now()
          where id = $1 and version = $2 and is_active`,
        values: [scheduleId, version, reason],
      });
    },
  };
}

/** Notes that no schedule has a Temporal Schedule: Temporal's store may be another one. */
export async function forgetAppliedSchedules({ system }: Database): Promise<void> {
  await system.query('update schedules set applied_version = 0 where applied_version > 0');
}

/**
 * Returns schedules whose Temporal Schedule was not made of their newest version, of all organizations, those of each
 * by their next slot: after the loss of a store all have to be made, which takes minutes.
 */
export async function findUnappliedSchedules({ system }: Pick<Database, 'system'>): Promise<readonly DueWork[]> {
  const { rows } = await system.query<ScheduleKey>({
    name: 'find-unapplied-schedules',
    text: fairBatch(
      `select org_id as "orgId", id as "scheduleId", next_run_at from schedules
        where applied_version <> version order by next_run_at`,
      'o.next_run_at',
    ),
  });
  return rows.map(({ orgId, scheduleId }) => ({ kind: 'schedule', orgId, scheduleId }));
}

/** A slot of a schedule that should have been decided some time ago. */
export interface OverdueSlot extends ScheduleKey {
  /** In milliseconds. */
  readonly slot: number;
}

/**
 * Returns the oldest slot of schedules of which one is overdue by half a minute, of all organizations: it was not
 * fired, or its workflow is gone.
 */
export async function findOverdueSlots({ system }: Pick<Database, 'system'>): Promise<readonly OverdueSlot[]> {
  const { rows } = await system.query<OverdueSlot>({
    name: 'find-overdue-slots',
    text: fairBatch(`select org_id as "orgId", id as "scheduleId", extract(epoch from next_run_at)::float8 * 1000 as slot
      from schedules where next_run_at < now() - interval '30 seconds'
        and next_run_at < now() - interval '30 seconds' - jitter_seconds * interval '1 second' order by next_run_at`),
  });
  return rows;
}
