import { addIndexes, findOverdueIndexes, purgeIndexes } from '../../db/marketplace/index.ts';
import { settleAll } from '../../domain/core/settle-all.ts';
import type { MarketplaceIndex } from '../../domain/marketplace/index.ts';
import { wakeDueWork } from '../../workflows/due-work/client.ts';
import type { Sweep } from './sweep.ts';

/** Keeps the rows of the operator's indexes in step with the settings, and has new and overdue ones fetched. */
export function followMarketplaceIndexes(indexes: readonly MarketplaceIndex[]): Sweep {
  const sources = indexes.map(({ source }) => source);
  return {
    name: 'follow marketplace indexes',
    run: async ({ database, client }) => {
      await addIndexes(database, sources);
      const overdue = await findOverdueIndexes(database, sources);
      await settleAll(overdue.map(async (index) => wakeDueWork(client, index)));
      await purgeIndexes(database, sources);
    },
  };
}
