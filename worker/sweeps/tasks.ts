import { takeDueTasks } from '../../db/tasks/index.ts';
import { beginAttempt } from '../../db/turns/index.ts';
import { settleAll } from '../../domain/core/settle-all.ts';
import { BATCH, type Sweep } from './sweep.ts';

/** Begins tasks that waited for others, or for room, and those whose process was gone before it could begin them. */
export const beginDueTasks: Sweep = {
  name: 'begin due tasks',
  run: async ({ database }) => {
    const due = await takeDueTasks(database, BATCH);
    await settleAll(due.map(async ({ orgId, taskId }) => beginAttempt(database, orgId, taskId)));
  },
};
