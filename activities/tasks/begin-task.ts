import type { Database } from '../../db/core/index.ts';
import { postponeTask } from '../../db/tasks/index.ts';
import { beginAttempt } from '../../db/turns/index.ts';
import type { OrgLimits } from '../../domain/orgs/index.ts';
import type { BeginTaskInput } from '../../workflows/tasks/contract.ts';

export interface TaskDeps {
  readonly database: Database;
  readonly limits: Pick<OrgLimits, 'messageBytes'>;
}

/**
 * Makes the activity that begins an attempt at a task, if its agent may begin. Returns in how many milliseconds that is
 * to be tried again, or null when it has begun, or waits for other tasks.
 */
export function createBeginTask({ database, limits }: TaskDeps) {
  return async function beginTask({ orgId, taskId }: BeginTaskInput): Promise<number | null> {
    if (await beginAttempt(database, orgId, taskId, limits)) return null;
    return postponeTask(database, { orgId, taskId });
  };
}
