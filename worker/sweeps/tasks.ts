import { completePlansOfCompleted, freeDependentsOfCompleted, takeDueTasks } from '../../db/tasks/index.ts';
import { beginAttempt } from '../../db/turns/index.ts';
import type { OrgLimits } from '../../domain/orgs/index.ts';
import { settleAll } from '../../domain/core/settle-all.ts';
import { BATCH, type Sweep } from './sweep.ts';

/** Begins tasks that waited for others, or for room, and those whose process was gone before it could begin them. */
export const beginDueTasks = (limits: Pick<OrgLimits, 'messageBytes'>): Sweep => ({
  name: 'begin due tasks',
  run: async ({ database }) => {
    const due = await takeDueTasks(database, BATCH);
    await settleAll(due.map(async ({ orgId, taskId }) => beginAttempt(database, orgId, taskId, limits)));
  },
});

/** A task that waits is looked at once an hour in any case, so a process that begins need not look back any further. */
const FIRST_LOOK_BACK_MS = 3_600_000;
/** The statement that completes a task may be stored so much later than the time that it notes. */
const OVERLAP_MS = 60_000;

/**
 * Makes tasks due whose last dependency was completed by a process, or a database, that died before it could, and
 * completes plans whose last part was.
 */
export const freeWaitingTasks = (): Sweep => {
  let lookBackFrom = performance.now() - FIRST_LOOK_BACK_MS;
  return {
    name: 'free waiting tasks',
    run: async ({ database }) => {
      const startedAt = performance.now();
      const withinMs = Math.ceil(startedAt - lookBackFrom);
      await completePlansOfCompleted(database, withinMs);
      await freeDependentsOfCompleted(database, withinMs);
      lookBackFrom = startedAt - OVERLAP_MS;
    },
  };
};
