import type { EntityManager } from '@mikro-orm/postgresql';
import type { MissedRun } from '../../domain/destinations.ts';
import { afterCommit } from '../core/after-commit.ts';
import { ADD_REPORTS, deliveriesTo, DUE_REPORTS, storedReport, subjectColumns } from './notify-webhook.ts';

/** A schedule, or that of a workflow. */
interface ReportedSchedule {
  readonly orgId: string;
  readonly id: string;
}

/**
 * Adds a report that a schedule has not run for each destination that wants to know, in the transaction that decides
 * so, on its locked row: the report exists once for each occasion.
 */
export async function reportMissed(
  em: EntityManager,
  { orgId, id }: ReportedSchedule,
  missed: MissedRun,
): Promise<void> {
  const [row] = await em.execute<{ due: string[] | null }[]>(REPORT_MISSED, [JSON.stringify(missed), id]);
  afterCommit(em, { dueWork: deliveriesTo(orgId, row?.due ?? null) });
}

const REPORT_MISSED = `with reports as (
    select w.id, ${subjectColumns({ schedule_id: 's.id' })}, ${storedReport({ missed: '?::json' })} as report
    from schedules s join run_destinations k on k.schedule_id = s.id or k.workflow_id = s.workflow_id
      join webhook_targets w on w.destination_id = k.destination_id
    where s.id = ? and k.send_when = 'missed' order by w.id for no key update of w
  ),
  ${ADD_REPORTS}
  select ${DUE_REPORTS} as due`;

/**
 * Locks the targets of all destinations of a schedule in the order of their ids, for a transaction that adds reports of
 * a run and may then add those that it has paused.
 */
export async function lockDestinationsOf(em: EntityManager, scheduleId: string): Promise<void> {
  await em.execute(
    `select from webhook_targets where id = any(array(
        select w.id from run_destinations k join webhook_targets w on w.destination_id = k.destination_id
        where k.schedule_id = ?
      )) order by id for no key update`,
    [scheduleId],
  );
}
