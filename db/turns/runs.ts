import type { EntityManager } from '@mikro-orm/postgresql';
import { dueRuns } from '../../domain/core/due-work.ts';
import { afterCommit } from '../core/after-commit.ts';
import type { Database } from '../core/database.ts';

/** The attempt at a step of a run that a turn is. */
export interface StepOfRun {
  readonly runId: string;
  /** The version of the run by which it was decided: the turn is not stored when the run has changed since. */
  readonly version: number;
  /** The position of the step, from 0. */
  readonly step: number;
  /** From 1. */
  readonly attempt: number;
  /** The agent that answers, with which the chat continues. */
  readonly agentId: string;
}

/**
 * Returns the statement that notes in a run that its step begins with the turn that is stored beside it, in SQL. No row
 * comes of it when the run has changed since.
 */
export const noteStepBegun = (runId: string, version: string) => `
  update workflow_runs r set version = r.version + 1, waits_for_room = false, started_at = coalesce(r.started_at, now()),
    deadline_at = coalesce(r.deadline_at, now() + r.time_limit_minutes * interval '1 minute'), updated_at = now()
  from chat where r.id = ${runId} and r.version = ${version} and r.completed_at is null returning r.id`;

/** Returns the statement that lets a run continue when the turn that `closed` selects has ended, in SQL. */
export const CONTINUE_RUN = `continued as (
    update workflow_runs set version = version + 1, updated_at = now() from closed
    where workflow_runs.id = closed.run_id and workflow_runs.completed_at is null
  )`;

/** Asks turns to stop, in SQL; a condition follows. */
export const ASK_TO_STOP = `update turns set interrupt_requested_at = coalesce(interrupt_requested_at, now()),
    next_wake_at = least(next_wake_at, now() + interval '1 second')`;

/** Asks the open turn of a run to stop. */
export async function stopTurnOfRun(database: Database, orgId: string, runId: string): Promise<void> {
  const stopped = await database.tenant.query<{ id: string }>(orgId, {
    name: 'stop-turn-of-run',
    text: `${ASK_TO_STOP} where run_id = $1 and status in ('queued', 'running') returning id`,
    values: [runId],
  });
  if (stopped.length > 0) await database.follow([{ stoppedTurns: stopped.map(({ id }) => id) }]);
}

/**
 * Asks the open turns of all runs of a workflow to stop. Workers, and the Temporal workflows of the runs, are notified
 * once the transaction has committed.
 */
export async function stopTurnsOfWorkflow(em: EntityManager, workflowId: string): Promise<void> {
  await stopTurnsOfRuns(em, 'workflow_id', workflowId);
}

/** Does so for the runs of a schedule. */
export async function stopTurnsOfSchedule(em: EntityManager, scheduleId: string): Promise<void> {
  await stopTurnsOfRuns(em, 'schedule_id', scheduleId);
}

interface OpenRun {
  readonly orgId: string;
  readonly runId: string;
  readonly hasWorkSlot: boolean;
}

async function stopTurnsOfRuns(em: EntityManager, column: 'workflow_id' | 'schedule_id', id: string): Promise<void> {
  const ask = async () =>
    em.execute<{ id: string }[]>(
      `${ASK_TO_STOP} where status in ('queued', 'running') and run_id in (
          select id from workflow_runs where ${column} = ? and completed_at is null
        ) returning id`,
      [id],
    );
  const stopped = await ask();
  // Beginning a turn of a run holds the run's row until the turn is stored and visible. Ending a turn locks it before
  // its run, as is done here.
  const open = await em.execute<OpenRun[]>(
    `select id as "runId", org_id as "orgId", status = 'running' as "hasWorkSlot" from workflow_runs
      where ${column} = ? and completed_at is null for update`,
    [id],
  );
  const begun = await ask();
  // Those that wait for a work slot have no Temporal workflow.
  const dueWork = dueRuns(open.filter(({ hasWorkSlot }) => hasWorkSlot));
  afterCommit(em, { stoppedTurns: [...stopped, ...begun].map(({ id: turnId }) => turnId), dueWork });
}
