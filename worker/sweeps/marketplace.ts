import { purgeIndexes, takeDueIndexes } from '../../db/marketplace/index.ts';
import { settleAll } from '../../domain/core/settle-all.ts';
import type { MarketplaceIndex } from '../../domain/marketplace/index.ts';
import { startIndexRefresh } from '../../workflows/marketplace/client.ts';
import type { Sweep } from './sweep.ts';

/** Has the operator's indexes fetched that are due: at the start, once an hour, and when somebody asks. */
export function refreshMarketplaceIndexes(indexes: readonly MarketplaceIndex[]): Sweep {
  const sources = indexes.map(({ source }) => source);
  return {
    name: 'refresh marketplace indexes',
    run: async ({ database, client }) => {
      const due = await takeDueIndexes(database, sources);
      await settleAll(due.map(async (indexId) => startIndexRefresh(client, { indexId })));
      await purgeIndexes(database, sources);
    },
  };
}
