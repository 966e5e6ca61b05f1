import { recoverSchedules } from '../../../start-turn/index.ts';
import type { Sweep } from '../sweep.ts';

/** Recovers schedules of which Temporal does not know what it should. In health there are none. */
export const recoverLaggingSchedules: Sweep = {
  name: 'recover schedules',
  run: async ({ database, client }) => recoverSchedules({ database, temporal: client }),
};
