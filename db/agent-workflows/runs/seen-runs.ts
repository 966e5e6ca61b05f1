import type { Database } from '../../core/index.ts';
import { fairBatch, OVERDUE } from '../../core/sql.ts';
import type { RunQueue } from './run-queue.ts';
import { RUN_SUMMARY, type RunRef, type RunState } from './run-state.ts';

/** A run whose Temporal workflow has not seen how it stands. */
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
