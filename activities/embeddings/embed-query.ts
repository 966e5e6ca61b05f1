import { answerQuery, readQuery } from '../../db/knowledge-bases/index.ts';
import type { EmbedQueryInput } from '../../workflows/short/contract.ts';
import { activityCancellation } from '../core/cancellation.ts';
import type { VectorDeps } from './ask-for-vectors.ts';
import { findQueryVectors } from './find-query-vectors.ts';

/** Makes the activity that turns a stored query into vectors, and stores these beside it. */
export function createEmbedQuery(deps: VectorDeps) {
  return async function embedQuery({ orgId, queryId }: EmbedQueryInput): Promise<void> {
    const { cancelled } = activityCancellation();
    const stored = await readQuery(deps.database, orgId, queryId);
    if (stored === undefined) return;
    const vectors = await findQueryVectors(deps, { orgId, ...stored }, cancelled);
    await answerQuery(deps.database, { orgId, id: queryId }, vectors);
  };
}
