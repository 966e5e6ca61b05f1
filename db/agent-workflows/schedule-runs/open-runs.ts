import type { EntityManager } from '@mikro-orm/postgresql';
import type { Database } from '../../core/index.ts';

/** The runs of a schedule that have not ended, and whether a slot has a run. */
interface OpenRuns {
  readonly running: number;
  readonly queued: number;
  readonly hasSlot: boolean;
}

/** Counts the open runs of a locked schedule. */
export async function readOpenRuns(em: EntityManager, scheduleId: string, slot: Date): Promise<OpenRuns> {
  const [row] = await em.execute<{ running: string; queued: string; hasSlot: boolean }[]>(
    `select count(*) filter (where status = 'running') as running, count(*) filter (where status = 'queued') as queued,
        exists (select from workflow_runs where schedule_id = ? and slot = ?::timestamptz) as "hasSlot"
      from workflow_runs where schedule_id = ? and completed_at is null`,
    [scheduleId, slot.toISOString(), scheduleId],
  );
  return { running: Number(row?.running), queued: Number(row?.queued), hasSlot: row?.hasSlot === true };
}

/** Asks all open runs of a schedule to stop. Returns them: their next transitions do what is asked. */
export async function interruptOpenRuns(em: EntityManager, scheduleId: string): Promise<string[]> {
  const asked = await em.execute<{ id: string }[]>(
    `update workflow_runs set interrupt_requested_at = coalesce(interrupt_requested_at, now()),
        version = version + 1, updated_at = now()
      where schedule_id = ? and completed_at is null returning id`,
    [scheduleId],
  );
  return asked.map(({ id }) => id);
}

/** Returns those of some slots that have a run, in milliseconds. */
export async function readSlotsWithRun(
  em: EntityManager,
  scheduleId: string,
  slots: readonly Date[],
): Promise<ReadonlySet<number>> {
  const list = `{${slots.map((slot) => `"${slot.toISOString()}"`).join(',')}}`;
  const rows = await em.execute<{ time: string }[]>(
    `select extract(epoch from slot) * 1000 as time from workflow_runs
      where schedule_id = ? and slot = any(?::timestamptz[])`,
    [scheduleId, list],
  );
  return new Set(rows.map(({ time }) => Number(time)));
}

/** Asks a run to stop, and returns whether it was open. Its next transition does what is asked. */
export async function interruptRun({ tenant }: Database, orgId: string, runId: string): Promise<boolean> {
  const asked = await tenant.query(orgId, {
    name: 'interrupt-open-run',
    text: `update workflow_runs set interrupt_requested_at = coalesce(interrupt_requested_at, now()),
        version = version + 1, updated_at = now()
      where id = $1 and completed_at is null returning id`,
    values: [runId],
  });
  return asked.length > 0;
}
