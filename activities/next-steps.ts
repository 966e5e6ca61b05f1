import { decideRun, type RunDeps } from '../db/agent-workflows/decisions/decide-run.ts';
import { interruptRun } from '../db/agent-workflows/schedule-runs.ts';
import { noteSeen, noteSeenEnd } from '../db/agent-workflows/runs/run-queue.ts';
import type { Database } from '../db/core/database.ts';
import { noteTaskWait } from '../db/tasks/due-tasks.ts';
import { beginAttempt, stopAttempt } from '../db/turns/tasks/begin-attempt.ts';
import type { OrgLimits } from '../domain/orgs.ts';
import type { NextStepOfRunInput } from '../workflows/agent-workflows/contract.ts';
import type { NextStep } from '../workflows/core/contract.ts';
import type { NextStepOfTaskInput } from '../workflows/tasks/contract.ts';

/** Does what is to be done for a run now, and returns what its workflow waits for. */
export function createNextStepOfRun(deps: RunDeps) {
  return async function nextStepOfRun({ isCancelled, ...ref }: NextStepOfRunInput): Promise<NextStep> {
    const { database } = deps;
    if (isCancelled) await interruptRun(database, ref.orgId, ref.runId);
    const outlook = await decideRun(deps, ref);
    if (outlook.kind === 'ended') await noteSeenEnd(database, ref);
    if (outlook.kind !== 'waiting') return { kind: 'closed' };
    const { run, step, until, waitsFor, waitsForRoom } = outlook;
    await noteSeen(database, run, waitsForRoom);
    const details = `Step ${step + 1} of ${run.steps.length}. Waits for ${waitsFor}.`;
    return { kind: 'wait', until: until?.getTime() ?? null, details };
  };
}

export interface TaskDeps {
  readonly database: Database;
  readonly limits: Pick<OrgLimits, 'messageBytes'>;
}

/**
 * Makes the activity that begins an attempt at a task, if its agent may begin, and returns what the workflow of the
 * task waits for.
 */
export function createNextStepOfTask({ database, limits }: TaskDeps) {
  return async function nextStepOfTask({ isCancelled, orgId, taskId }: NextStepOfTaskInput): Promise<NextStep> {
    if (isCancelled) await stopAttempt(database, orgId, taskId);
    await beginAttempt(database, orgId, taskId, limits);
    const wait = await noteTaskWait(database, { orgId, taskId });
    if (wait === undefined) return { kind: 'closed' };
    const { waitsFor, waitMs, attempts } = wait;
    const details =
      waitsFor === 'room' ? 'Waits for room for another turn.' : `Attempt ${attempts}. Waits for the end of its turn.`;
    return { kind: 'wait', until: Date.now() + waitMs, details };
  };
}
