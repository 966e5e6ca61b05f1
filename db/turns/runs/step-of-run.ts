/** The attempt at a step of a run that a turn is. */
export interface StepOfRun {
  readonly runId: string;
  /** The version of the run by which it was decided: the turn is not stored when the run has changed since. */
  readonly version: number;
  /** The position of the step, from 0. */
  readonly step: number;
  /** From 1. */
  readonly attempt: number;
  /** The agent that answers, with which the chat goes on. */
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

/** Returns the statement that lets a run go on when the turn that `closed` is has ended, in SQL. */
export const CONTINUE_RUN = `continued as (
    update workflow_runs set version = version + 1, updated_at = now() from closed
    where workflow_runs.id = closed.run_id and workflow_runs.completed_at is null
  )`;
