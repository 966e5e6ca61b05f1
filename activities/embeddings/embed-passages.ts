import { storeVectors, type UnembeddedPassage, type VectorSet } from '../../db/knowledge-bases/index.ts';
import { type EmbeddingModel, packVector } from '../../domain/embeddings/index.ts';
import { retryWhileDatabaseUnavailable } from '../core/retry-while-database-unavailable.ts';
import { askForVectors, NoVectors, type VectorDeps } from './ask-for-vectors.ts';

/** Passages that one call is to give vectors to. */
export interface PassagesToEmbed {
  readonly vectors: VectorSet;
  readonly model: EmbeddingModel;
  readonly passages: readonly UnembeddedPassage[];
}

/** A text that every model takes, to tell a passage that is not taken from a model that takes nothing. */
const PROBE = 'ready';

/**
 * Gives vectors to passages and stores them; returns false when the knowledge base has begun anew meanwhile. A passage
 * that the model does not take is stored without a vector, so that it keeps no others from getting one. Throws
 * `NoVectors`.
 */
export async function embedPassages(deps: VectorDeps, work: PassagesToEmbed, signal: AbortSignal): Promise<boolean> {
  const { passages } = work;
  try {
    return await embedTogether(deps, work, signal);
  } catch (error) {
    if (!(error instanceof NoVectors) || !error.isRejection) throw error;
    if (passages.length === 1) return leaveOut(deps, work, signal);
    const half = Math.ceil(passages.length / 2);
    const first = await embedPassages(deps, { ...work, passages: passages.slice(0, half) }, signal);
    return first && embedPassages(deps, { ...work, passages: passages.slice(half) }, signal);
  }
}

async function embedTogether(
  deps: VectorDeps,
  { vectors, model, passages }: PassagesToEmbed,
  signal: AbortSignal,
): Promise<boolean> {
  const texts = passages.map(({ heading, text }) => (heading === '' ? text : `${heading}\n\n${text}`));
  const wanted = { orgId: vectors.orgId, model };
  const bought = await askForVectors(deps, wanted, { texts, purpose: 'document' }, signal);
  const packed = passages.map(({ documentId, seq }, place) => {
    const vector = bought.vectors[place];
    return { documentId, seq, packed: vector === undefined ? null : packVector(vector) };
  });
  const { tokens, cost } = bought;
  return retryWhileDatabaseUnavailable(signal, async () =>
    storeVectors(deps.database, vectors, { vectors: packed, tokens, cost }),
  );
}

async function leaveOut(
  deps: VectorDeps,
  { vectors, model, passages }: PassagesToEmbed,
  signal: AbortSignal,
): Promise<boolean> {
  const wanted = { orgId: vectors.orgId, model };
  const { tokens, cost } = await askForVectors(deps, wanted, { texts: [PROBE], purpose: 'document' }, signal);
  const without = passages.map(({ documentId, seq }) => ({ documentId, seq, packed: null }));
  return retryWhileDatabaseUnavailable(signal, async () =>
    storeVectors(deps.database, vectors, { vectors: without, tokens, cost }),
  );
}
