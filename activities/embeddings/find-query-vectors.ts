import { noteQueryCost, type QueryTarget, type QueryVector } from '../../db/knowledge-bases/index.ts';
import { parseEmbeddingModel } from '../../domain/embeddings/index.ts';
import { retryWhileDatabaseUnavailable } from '../core/retry-while-database-unavailable.ts';
import { askForVectors, NoVectors, type VectorDeps } from './ask-for-vectors.ts';

/** Whoever searches is waiting: after this time the passages are found by words alone. */
const MAX_WAIT_MS = 5_000;

/** A query, and the models that are to turn it into a vector each. */
export interface QueryToEmbed {
  readonly orgId: string;
  readonly query: string;
  readonly targets: readonly QueryTarget[];
}

/** Returns the vector of a query for each model, or why there is none. Only an abort of the signal throws. */
export async function findQueryVectors(
  deps: VectorDeps,
  { orgId, query, targets }: QueryToEmbed,
  signal: AbortSignal,
): Promise<readonly QueryVector[]> {
  return Promise.all(
    targets.map(async ({ model: name, knowledgeBaseId }): Promise<QueryVector> => {
      const patience = AbortSignal.timeout(MAX_WAIT_MS);
      const model = parseEmbeddingModel(name);
      if (model === undefined) return { model: name, reason: `"${name}" is no embedding model` };
      try {
        const texts = { texts: [query], purpose: 'query' as const };
        const bought = await askForVectors(deps, { orgId, model }, texts, AbortSignal.any([signal, patience]));
        await retryWhileDatabaseUnavailable(signal, async () =>
          noteQueryCost(deps.database, { orgId, knowledgeBaseId }, bought),
        );
        return { model: name, vector: bought.vectors[0] ?? [] };
      } catch (error) {
        if (signal.aborted) throw error;
        if (patience.aborted)
          return { model: name, reason: `${name} gave no vector within ${MAX_WAIT_MS / 1000} seconds` };
        if (error instanceof NoVectors) return { model: name, reason: error.message };
        throw error;
      }
    }),
  );
}
