import { purgeDeliveries } from '../../../db/webhooks/index.ts';
import type { Sweep } from '../sweep.ts';

/** Removes what webhooks have delivered long ago, or too much of. */
export const purgeWebhookDeliveries: Sweep = {
  name: 'purge deliveries of webhooks',
  run: async ({ database }) => purgeDeliveries(database),
};
