import type { Database } from '../../db/core/index.ts';
import { noteTaskWait } from '../../db/tasks/index.ts';
import { beginAttempt, stopAttempt } from '../../db/turns/index.ts';
import type { OrgLimits } from '../../domain/orgs/index.ts';
import type { NextStep } from '../../workflows/core/contract.ts';
import type { NextStepOfTaskInput } from '../../workflows/tasks/contract.ts';

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
