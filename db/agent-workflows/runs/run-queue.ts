import type { EntityManager } from '@mikro-orm/postgresql';
import type { Membership } from '../../../domain/orgs.ts';
import { dueRuns } from '../../../domain/core/due-work.ts';
import { afterCommit } from '../../core/after-commit.ts';
import type { Database } from '../../core/database.ts';
import type { Transaction } from '../../core/transactions.ts';
import { RUN_SUMMARY, type RunRef, type RunState } from './run-state.ts';
import { fairBatch, OVERDUE } from '../../core/sql.ts';

/** Whose runs share a limit of concurrency: those of a workflow, or those of a schedule that belongs to none. */
export interface RunQueue {
  readonly workflowId: string | null;
  readonly scheduleId: string | null;
}

/** How a queue is found in SQL. */
interface QueueRows {
  /** The id of the workflow or schedule. */
  readonly id: string | null;
  /** The column of runs that names it. */
  readonly column: string;
  /** How many runs with that id may run at once; null for no bound. */
  readonly limit: string;
  readonly lock: string;
}

function rowsOf({ workflowId, scheduleId }: RunQueue): QueueRows {
  return workflowId === null ? { ...OF_SCHEDULE, id: scheduleId } : { ...OF_WORKFLOW, id: workflowId };
}

const OF_WORKFLOW = {
  column: 'workflow_id',
  limit: 'select max_concurrent_runs as "limit" from agent_workflows where id = ?',
  lock: 'select from agent_workflows where id = ? for no key update',
};

const OF_SCHEDULE = {
  column: 'schedule_id',
  limit: `select case when overlap in ('skip', 'buffer_one') then 1 end as "limit" from schedules where id = ?`,
  lock: 'select from schedules where id = ? for no key update',
};

/**
 * Dequeues as many runs as may begin, in the order in which they came, and returns them. Their Temporal workflows are
 * started once the transaction has committed. The workflow or schedule is locked, so that concurrent calls neither
 * exceed the limit nor stay below it.
 */
export async function dequeueRuns(em: EntityManager, queue: RunQueue): Promise<string[]> {
  const { id, column, limit } = rowsOf(queue);
  const begun = await em.execute<(RunRef & { readonly summary: string })[]>(
    `update workflow_runs r set status = 'running', version = r.version + 1, updated_at = now()
      where r.id in (
        select q.id from workflow_runs q where q.${column} = ? and q.completed_at is null and q.status = 'queued'
        order by q.id limit (
          select case when w."limit" is not null then greatest(0, w."limit" - (
              select count(*) from workflow_runs b
              where b.${column} = ? and b.completed_at is null and b.status = 'running'
            )) end
          from (${limit}) w
        )
      ) returning r.id as "runId", r.org_id as "orgId", ${RUN_SUMMARY} as summary`,
    [id, id, id],
  );
  afterCommit(em, { dueWork: dueRuns(begun) });
  // The end of another run, or a change of the workflow or schedule, lets the rest begin: nothing is to be healed.
  await em.execute(
    `update workflow_runs set seen_version = version
      where ${column} = ? and completed_at is null and status = 'queued' and seen_version < version
        and interrupt_requested_at is null`,
    [id],
  );
  return begun.map(({ runId }) => runId);
}

/** Locks a queue until the transaction has ended. */
export async function lockQueue(em: EntityManager, queue: RunQueue): Promise<void> {
  const { id, lock } = rowsOf(queue);
  await em.execute(lock, [id]);
}

/**
 * Wakes the runs of a former member that wait for a decision before a step: they end, and say why. Running ones end
 * with their turns.
 */
export async function wakeWaitingRuns(transaction: Transaction, { orgId, userId }: Membership): Promise<void> {
  const { rows } = await transaction.query<RunRef>(
    `update workflow_runs r set version = r.version + 1, updated_at = now()
      from approvals p
      where p.org_id = $1 and p.status = 'pending' and r.id = p.run_id and r.user_id = $2 and r.completed_at is null
      returning r.id as "runId", r.org_id as "orgId"`,
    [orgId, userId],
  );
  afterCommit(transaction, { dueWork: dueRuns(rows) });
}

/** A run whose Temporal workflow has not seen its current state. */
export interface OverdueRun extends RunRef, RunQueue {
  readonly summary: string;
  /** Whether it waits in the queue of its workflow or schedule: it has no Temporal workflow then. */
  readonly isQueued: boolean;
}

/**
 * Returns runs that have changed ten seconds ago or earlier and that no Temporal workflow has seen since, of all
 * organizations: the process that changed them was gone before it could wake it. The workflow of one that has ended
 * would wait on.
 */
export async function findOverdueRuns({ system }: Pick<Database, 'system'>): Promise<readonly OverdueRun[]> {
  const { rows } = await system.query<OverdueRun>({
    name: 'find-overdue-runs',
    text: fairBatch(`select r.id as "runId", r.org_id as "orgId", ${RUN_SUMMARY} as summary, r.workflow_id as "workflowId",
        r.schedule_id as "scheduleId", r.status = 'queued' and r.interrupt_requested_at is null as "isQueued"
      from workflow_runs r
      where r.seen_version < r.version and r.updated_at < ${OVERDUE}
      order by r.id`),
  });
  return rows;
}

/**
 * Notes that the Temporal workflow of a run has seen it in the state that `run` was read in, and whether it waits for
 * room.
 */
export async function noteSeen(
  { tenant }: Database,
  { orgId, id, version }: Pick<RunState, 'orgId' | 'id' | 'version'>,
  waitsForRoom = false,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'note-seen-run',
    text: `update workflow_runs set seen_version = $2, waits_for_room = $3
      where id = $1 and completed_at is null and (seen_version < $2 or seen_version = $2 and waits_for_room <> $3)`,
    values: [id, version, waitsForRoom],
  });
}

/** Notes that the Temporal workflow of a run has seen its end. */
export async function noteSeenEnd({ tenant }: Database, { orgId, runId }: RunRef): Promise<void> {
  await tenant.query(orgId, {
    name: 'note-seen-end-of-run',
    text: `update workflow_runs set seen_version = version
      where id = $1 and completed_at is not null and seen_version < version`,
    values: [runId],
  });
}

/** Notes that no open run was seen by its Temporal workflow: Temporal's store may be another one. */
export async function forgetSeenRuns({ system }: Database): Promise<void> {
  await system.query(
    "update workflow_runs set seen_version = 0 where completed_at is null and status = 'running' and seen_version > 0",
  );
}
