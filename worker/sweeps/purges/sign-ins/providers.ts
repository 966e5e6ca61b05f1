import { purgeSignIns } from '../../../../db/providers/index.ts';
import type { Sweep } from '../../sweep.ts';

/** Removes sign-ins at providers that are over. */
export const purgeProviderSignIns: Sweep = {
  name: 'purge sign-ins at providers',
  run: async ({ database }) => {
    await purgeSignIns(database);
  },
};
