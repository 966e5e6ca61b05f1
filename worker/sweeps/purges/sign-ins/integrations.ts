import { purgeRevocations, purgeSignIns } from '../../../../db/integrations/index.ts';
import type { Sweep } from '../../sweep.ts';

/** Removes sign-ins with integrations that nobody has finished in time. */
export const purgeExpiredSignIns: Sweep = {
  name: 'purge sign-ins with integrations',
  run: async ({ database }) => purgeSignIns(database),
};

/** Removes grants whose service could not be told of their end. */
export const purgeEndedGrants: Sweep = {
  name: 'purge ended grants of integrations',
  run: async ({ database }) => purgeRevocations(database),
};
