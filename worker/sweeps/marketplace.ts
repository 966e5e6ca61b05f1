import { addIndexes, findOverdueIndexes, purgeIndexes } from '../../db/marketplace/index.ts';
import type { MarketplaceIndex } from '../../domain/marketplace/index.ts';
import type { Sweep } from './sweep.ts';

/** Keeps the rows of the operator's indexes in step with the settings, and has new and overdue ones fetched. */
export function followMarketplaceIndexes(indexes: readonly MarketplaceIndex[]): Sweep {
  const sources = indexes.map(({ source }) => source);
  return {
    name: 'follow marketplace indexes',
    run: async ({ database }) => {
      await addIndexes(database, sources);
      await database.follow([{ dueWork: await findOverdueIndexes(database, sources) }]);
      await purgeIndexes(database, sources);
    },
  };
}
