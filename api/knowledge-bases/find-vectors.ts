import { createQuery, type FindVectors, takeQuery } from '../../db/knowledge-bases/index.ts';
import { runShort } from '../../workflows/short/client.ts';
import { KeyedSemaphore } from '../../domain/core/keyed-semaphore.ts';
import type { ApiContext } from '../context/api-context.ts';

const UNAVAILABLE = 'The vector of the query could not be made in time: try again, or see whether a worker runs';

const BUSY = 'Too many searches by meaning are under way: try again shortly';

class NoPlace extends Error {
  override readonly name = 'NoPlace';
}

/** Each holds a place of a worker while a provider answers. Without one, a search is by words alone. */
const places = new KeyedSemaphore({ perKey: 4, total: 40, maxWaiting: 0, createError: () => new NoPlace(BUSY) });

/** Finds the vectors of a query through a worker, which alone calls providers; a search waits ten seconds at most. */
export function findVectorsOf({ database, temporal, log }: ApiContext, orgId: string): FindVectors {
  const find: FindVectors = async (query, targets) => {
    const queryId = await createQuery(database, orgId, { query, targets });
    await runShort(temporal, 'embedQuery', { orgId, queryId }).catch((error: unknown) => {
      log.warn({ err: error }, 'a query could not be turned into vectors');
    });
    const vectors = await takeQuery(database, orgId, queryId);
    return vectors.length > 0 ? vectors : targets.map(({ model }) => ({ model, reason: UNAVAILABLE }));
  };
  return async (query, targets) => {
    try {
      return await places.hold(await database.payers.of(orgId), async () => find(query, targets));
    } catch (error) {
      if (!(error instanceof NoPlace)) throw error;
      return targets.map(({ model }) => ({ model, reason: error.message }));
    }
  };
}
