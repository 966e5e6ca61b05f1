import { purgeProjectLogs } from '../../../db/project-logs/index.ts';
import type { Sweep } from '../sweep.ts';

/** Removes entries of project logs that are older than so many days, 0 for none, or too many. */
export const purgeOldProjectLogs = (days: number): Sweep => ({
  name: 'purge project logs',
  run: async ({ database }) => purgeProjectLogs(database, { days }),
});
