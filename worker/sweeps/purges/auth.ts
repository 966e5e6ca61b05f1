import { purgeCredentials } from '../../../db/auth/index.ts';
import type { Sweep } from '../sweep.ts';

/** Removes sessions, links and tokens that have expired. */
export const purgeExpiredCredentials: Sweep = {
  name: 'purge credentials',
  run: async ({ database }) => {
    await purgeCredentials(database);
  },
};
