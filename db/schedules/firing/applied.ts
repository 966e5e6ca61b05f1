import type { DueWork, ScheduleKey } from '../../../domain/core/due-work.ts';
import type { Database } from '../../core/database.ts';
import { withOrgTransaction } from '../../core/transactions.ts';
import { scheduleSpecOf, type Timing } from '../../../domain/schedules/timing.ts';
import { fairBatch } from '../../core/sql.ts';
import { reportMissed } from '../../webhooks/report-missed.ts';

interface Applied extends Timing {
  readonly isActive: boolean;
  readonly catchupMinutes: number;
  readonly jitterSeconds: number;
  readonly version: number;
  readonly appliedVersion: number;
  readonly installationId: string;
}

/** Returns what the rows of schedules say of their Temporal Schedules, and what is noted of these (`applySchedule`). */
export function scheduleRows(database: Database) {
  const { tenant, payers } = database;
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
      await withOrgTransaction(database, orgId, async (em) => {
        const paused = await em.execute<unknown[]>(PAUSE, [reason, scheduleId, version]);
        const missed = { kind: 'paused', at: new Date().toISOString(), reason } as const;
        if (paused.length > 0) await reportMissed(em, { orgId, id: scheduleId }, missed);
      });
    },
  };
}

const PAUSE = `update schedules set is_active = false, next_run_at = null, pause_reason = ?, updated_at = now()
  where id = ? and version = ? and is_active returning id`;

/** Records that no schedule has a Temporal Schedule: Temporal's store may be another one. */
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

/** Records that the Temporal Schedules of these schedules are missing or outdated. */
export async function forgetApplied({ system }: Database, ids: readonly string[]): Promise<void> {
  await system.query({
    name: 'forget-applied-schedules',
    text: 'update schedules set applied_version = 0 where id = any($1)',
    values: [ids],
  });
}
