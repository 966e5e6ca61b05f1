import { findCatalogEntry } from '../../builtin/index.ts';
import {
  beginVectors,
  deleteVectors,
  type EmbeddingRef,
  type EmbeddingState,
  endEmbedding,
  findEmbeddingWait,
  findUnembedded,
  OtherDimensions,
  postponeEmbedding,
  readEmbedding,
  storeVectors,
  type UnembeddedPassage,
  type VectorSet,
} from '../../db/knowledge-bases/embedding.ts';
import { listSharedAccounts, type TurnAccount } from '../../db/providers/for-turn.ts';
import { KeyedSemaphore } from '../../domain/core/keyed-semaphore.ts';
import { settleAll } from '../../domain/core/promises.ts';
import {
  AUTO,
  type EmbeddingModel,
  nameOfEmbeddingModel,
  OFF,
  packVector,
  parseEmbeddingModel,
} from '../../domain/embeddings.ts';
import { activityCancellation } from '../core/cancellation.ts';
import { NoFreeSlot, NotedFault } from '../core/failure-interceptor.ts';
import { isPassing, retryWhileDatabaseUnavailable } from '../core/passing-error.ts';
import { MAX_TEXTS } from '../llm/embed-texts.ts';
import { askForVectors, NoVectors, type VectorDeps } from './ask-for-vectors.ts';

/** The calls that are made at once for a knowledge base. */
const CALLS = 4;

/** After this time others get the slot; the rest is done by the next run. */
const RUN_MS = 4 * 60_000;

/** The least time between two runs for a knowledge base, unless something has changed. */
const PAUSE_MS = 1_000;

const FAULT = { reason: 'The vectors could not be made because of an internal error', until: null };

const slots = new KeyedSemaphore({ perKey: 2, total: 8, maxWaiting: 4, createError: () => new NoFreeSlot() });

/**
 * Makes the activity that gives vectors to the passages of a knowledge base that have none of the model in use. What is
 * stored is never asked for again, so it may be repeated at any time. Returns in how many milliseconds the next run is
 * due, or null when no passage is without a vector.
 */
export function createEmbedKnowledgeBase(deps: VectorDeps) {
  return async function embedKnowledgeBase(base: EmbeddingRef): Promise<number | null> {
    const { cancelled } = activityCancellation();
    const ref = { orgId: base.orgId, knowledgeBaseId: base.knowledgeBaseId };
    const waitMs = await findEmbeddingWait(deps.database, ref);
    if (waitMs !== 0) return waitMs;
    const payer = await deps.database.payers.of(ref.orgId);
    await slots.run(payer, async () => embedBase(deps, ref, cancelled), { signal: cancelled });
    const nextMs = await findEmbeddingWait(deps.database, ref);
    return nextMs === null ? null : Math.max(nextMs, PAUSE_MS);
  };
}

/** One run for a knowledge base. */
interface Run {
  readonly deps: VectorDeps;
  readonly ref: EmbeddingRef;
  readonly signal: AbortSignal;
  readonly endsAt: number;
  /** Repeats what fails because the database is away. */
  readonly retry: <T>(work: () => Promise<T>) => Promise<T>;
}

async function embedBase(deps: VectorDeps, ref: EmbeddingRef, signal: AbortSignal): Promise<void> {
  const retry: Run['retry'] = async (work) => retryWhileDatabaseUnavailable(signal, work);
  const run = { deps, ref, signal, retry, endsAt: performance.now() + RUN_MS };
  const state = await retry(async () => readEmbedding(deps.database, ref));
  if (state === undefined) return;
  try {
    await (state.choice === OFF ? forget(run, state) : embedAll(run, state));
  } catch (error) {
    const delay = delayOf(error);
    if (signal.aborted || (delay === undefined && isPassing(error))) throw error;
    await retry(async () => postponeEmbedding(deps.database, { ...ref, ...state }, delay ?? FAULT));
    if (delay === undefined) throw new NotedFault(error);
  }
}

async function forget(run: Run, state: EmbeddingState): Promise<void> {
  const { deps, ref, retry } = run;
  const { database } = deps;
  const version = state.modelInUse === null ? state.version : await begin(run, state, null);
  while (await retry(async () => deleteVectors(database, ref))) continue;
  if (version !== undefined) await retry(async () => endEmbedding(database, { ...ref, ...state, version }));
}

async function embedAll(run: Run, state: EmbeddingState): Promise<void> {
  const { deps, ref, signal, retry, endsAt } = run;
  const { database } = deps;
  const model = chooseModel(state, await retry(async () => listSharedAccounts(database, ref.orgId)));
  const name = nameOfEmbeddingModel(model);
  const version = state.modelInUse === name ? state.version : await begin(run, state, name);
  // Another model was chosen in the meantime: the next run begins with it.
  if (version === undefined) return;
  const vectors = { ...ref, version };
  while (performance.now() < endsAt) {
    signal.throwIfAborted();
    const passages = await retry(async () => findUnembedded(database, vectors, CALLS * MAX_TEXTS));
    if (passages.length === 0) {
      await retry(async () => endEmbedding(database, { ...vectors, choice: state.choice }));
      return;
    }
    const batches = Array.from({ length: Math.ceil(passages.length / MAX_TEXTS) }, (_, at) =>
      passages.slice(at * MAX_TEXTS, (at + 1) * MAX_TEXTS),
    );
    const stored = await settleAll(
      batches.map(async (batch) => embedPassages(deps, { vectors, model, passages: batch }, signal)),
    );
    if (stored.includes(false)) return;
  }
}

async function begin(run: Run, state: EmbeddingState, model: string | null): Promise<number | undefined> {
  const found = { ...run.ref, ...state };
  return run.retry(async () => beginVectors(run.deps.database, found, model));
}

function delayOf(error: unknown): { readonly reason: string; readonly until: number | null } | undefined {
  if (error instanceof NoVectors) return { reason: error.message, until: error.until };
  if (!(error instanceof OtherDimensions)) return undefined;
  const reason = `The model answers with vectors of another kind than before, which had ${error.had} dimensions. To embed all passages anew, choose off in the settings of the knowledge base, and then the model again`;
  return { reason, until: null };
}

/**
 * Returns the model whose vectors a knowledge base is to have. `auto` keeps the one in use while there is an account
 * for it, and else takes that of the oldest shared account that offers one. Throws `NoVectors` when there is none.
 */
function chooseModel(
  { choice, modelInUse }: Pick<EmbeddingState, 'choice' | 'modelInUse'>,
  shared: readonly Pick<TurnAccount, 'providerType'>[],
): EmbeddingModel {
  const chosen = parseEmbeddingModel(choice);
  if (chosen !== undefined) return chosen;
  if (choice !== AUTO)
    throw new NoVectors(
      `"${choice}" is no embedding model: choose another one in the settings of the knowledge base`,
      {},
    );
  const inUse = parseEmbeddingModel(modelInUse ?? '');
  if (inUse !== undefined && shared.some(({ providerType }) => providerType === inUse.providerType)) return inUse;
  const offered = shared.flatMap(({ providerType }) => {
    const [modelName] = findCatalogEntry(providerType)?.embeddingModels ?? [];
    return modelName === undefined ? [] : [{ providerType, modelName }];
  });
  if (offered[0] !== undefined) return offered[0];
  throw new NoVectors(
    'No shared provider account has a default embedding model. Add one, or name a model of yours in the settings of the knowledge base, such as ollama/nomic-embed-text',
    {},
  );
}

/** Passages that one call is to give vectors to. */
interface PassagesToEmbed {
  readonly vectors: VectorSet;
  readonly model: EmbeddingModel;
  readonly passages: readonly UnembeddedPassage[];
}

/** A text that every model accepts, to distinguish a rejected passage from a model that rejects everything. */
const PROBE = 'ready';

/**
 * Embeds passages and stores their vectors; returns false when the knowledge base has started over in the meantime. A
 * passage that the model rejects is stored without a vector, so that it keeps no others from getting one. Throws
 * `NoVectors`.
 */
async function embedPassages(deps: VectorDeps, work: PassagesToEmbed, signal: AbortSignal): Promise<boolean> {
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
  const packed = passages.map(({ documentId, seq }, index) => {
    const vector = bought.vectors[index];
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
