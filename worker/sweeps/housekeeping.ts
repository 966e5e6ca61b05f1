import { createHousekeeping, updateHousekeeping } from '../../workflows/housekeeping/client.ts';
import type { Sweep } from './sweep.ts';

/**
 * Makes sure that the Schedules of the housekeeping exist, which somebody may have deleted, or Temporal lost with its
 * store. The first run of a process gives them the definition of its version.
 */
export function keepHousekeeping(): Sweep {
  let isUpdated = false;
  return {
    name: 'keep the Schedules of the housekeeping',
    run: async ({ client }) => {
      await createHousekeeping(client);
      if (!isUpdated) await updateHousekeeping(client);
      isUpdated = true;
    },
  };
}
