import { scheduleRows } from '../../db/schedules/index.ts';
import { recoverDueWork } from '../recover-due-work.ts';
import type { Sweep } from './sweep.ts';

/** Has work done that is overdue. */
export const recoverOverdueWork: Sweep = {
  name: 'recover overdue work',
  run: async ({ database, client }, stop) =>
    recoverDueWork({ database, client, schedules: scheduleRows(database) }, stop),
};
