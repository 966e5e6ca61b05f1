import { purgeDeliveries, purgeGone, purgeSyncs } from '../../../db/issue-sync/index.ts';
import type { Sweep } from '../sweep.ts';

/** Forgets deliveries of code hosts that none repeats any more. */
export const purgeHostDeliveries: Sweep = {
  name: 'purge deliveries of code hosts',
  run: async ({ database }) => {
    await purgeDeliveries(database);
  },
};

/** Removes the oldest syncs of projects that have too many. */
export const purgeOldSyncs: Sweep = {
  name: 'purge syncs of projects',
  run: async ({ database }) => purgeSyncs(database),
};

/** Forgets what was deleted long ago of what code hosts have told. */
export const purgeGoneIssues: Sweep = {
  name: 'purge gone issues of code hosts',
  run: async ({ database }) => purgeGone(database),
};
