import type { Database } from '../../db/core/database.ts';
import type { SecretBox } from '../../db/core/secret-box.ts';
import {
  answerQuery,
  noteQueryCost,
  type QueryTarget,
  type QueryVector,
  readQuery,
} from '../../db/knowledge-bases/search/queries.ts';
import { listSharedAccounts } from '../../db/providers/for-turn.ts';
import { type EmbeddingModel, parseEmbeddingModel } from '../../domain/embeddings.ts';
import { costOf, type FindPrice } from '../../domain/prices.ts';
import { chooseAccounts } from '../../domain/provider-chains.ts';
import type { EmbedQueryInput } from '../../workflows/short/contract.ts';
import { activityCancellation } from '../core/cancellation.ts';
import { retryWhileDatabaseUnavailable } from '../core/passing-error.ts';
import {
  type AccountUse,
  learnFromFailure,
  learnFromSuccess,
  noteAccountUse,
  statesOf,
} from '../llm/model-candidates.ts';
import type { Embed, Embeddings, TextsToEmbed } from '../llm/embed-texts.ts';
import { modelOfAccount } from '../llm/model-of-account.ts';
import { ProviderFailure } from '../llm/failures/provider-failure.ts';

/** The dependencies of requests for vectors to the organization's accounts. */
export interface VectorDeps {
  readonly database: Database;
  readonly box: SecretBox;
  readonly accountUse: AccountUse;
  readonly embed: Embed;
  readonly findPrice: FindPrice;
}

/** No account gives vectors for now; the message says why, for a person. */
export class NoVectors extends Error {
  override readonly name = 'NoVectors';
  /** When an account is back that is too busy, in milliseconds since 1970. */
  readonly until: number | null;
  /** Whether the texts were rejected, or the model, and not the account. */
  readonly isRejection: boolean;

  constructor(
    message: string,
    { until = null, isRejection = false }: Partial<Pick<NoVectors, 'until' | 'isRejection'>>,
  ) {
    super(message);
    this.until = until;
    this.isRejection = isRejection;
  }
}

/** Vectors of texts, and what they cost in US dollars; null when the price is unknown. */
interface BoughtVectors extends Embeddings {
  readonly cost: number | null;
}

/**
 * Turns texts into vectors with a model, at the shared accounts of its provider: the one first that was used longest
 * ago, and the next one when that fails. What an account's failure means is noted as for a turn. Throws `NoVectors`.
 */
export async function askForVectors(
  deps: VectorDeps,
  wanted: { readonly orgId: string; readonly model: EmbeddingModel },
  texts: TextsToEmbed,
  signal: AbortSignal,
): Promise<BoughtVectors> {
  const { providerType, modelName } = wanted.model;
  const shared = await retryWhileDatabaseUnavailable(signal, async () =>
    listSharedAccounts(deps.database, wanted.orgId),
  );
  const accounts = shared.filter((account) => account.providerType === providerType);
  if (accounts.length === 0) throw new NoVectors(noneOfType(providerType), {});
  const { candidates, coolingUntil, disabled } = chooseAccounts(statesOf(deps, accounts), [wanted.model], Date.now());
  const failures: Failure[] = [];
  for (const { accountId } of candidates) {
    const account = accounts.find(({ id }) => id === accountId);
    if (account === undefined) continue;
    try {
      noteAccountUse(deps, account);
      const embeddings = await deps.embed(modelOfAccount(deps.box, account, modelName), texts, signal);
      learnFromSuccess(deps.database, account);
      return { ...embeddings, cost: costOfInput(deps.findPrice, wanted.model, embeddings.tokens) };
    } catch (error) {
      if (!(error instanceof ProviderFailure) || signal.aborted) throw error;
      failures.push({ failure: error, until: await learnFromFailure(deps.database, account, error) });
    }
  }
  const ends = [coolingUntil, ...failures.map(({ until }) => until)].filter((until) => until !== null);
  const until = ends.length === 0 ? null : Math.min(...ends);
  const isRejection = failures.length > 0 && failures.every(({ failure }) => failure.kind === 'rejected');
  throw new NoVectors(wordsOf(failures, disabled.length > 0, providerType), { until, isRejection });
}

interface Failure {
  readonly failure: ProviderFailure;
  /** Until when its account cools down. */
  readonly until: number | null;
}

function noneOfType(providerType: string): string {
  return `The organization has no shared account of the type "${providerType}": add one, or choose another model in the settings of the knowledge base`;
}

function wordsOf(failures: readonly Failure[], someAreDisabled: boolean, providerType: string): string {
  if (failures.length > 0) return [...new Set(failures.map(({ failure }) => failure.message))].slice(0, 3).join('; ');
  return someAreDisabled
    ? `Every shared account of the type "${providerType}" is disabled or cools down: see the accounts for why`
    : `Every shared account of the type "${providerType}" is too busy and cools down`;
}

function costOfInput(findPrice: FindPrice, { providerType, modelName }: EmbeddingModel, tokens: number): number | null {
  return costOf({ inputTokens: tokens, outputTokens: 0 }, findPrice(providerType, modelName));
}

/** Whoever searches is waiting: after this time the passages are found by words alone. */
const MAX_WAIT_MS = 5_000;

/** A query, and the models that are to turn it into a vector each. */
interface QueryToEmbed {
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

/** Creates the activity that embeds a stored query, and stores the vectors with it. */
export function createEmbedQuery(deps: VectorDeps) {
  return async function embedQuery({ orgId, queryId }: EmbedQueryInput): Promise<void> {
    const { cancelled } = activityCancellation();
    const stored = await readQuery(deps.database, orgId, queryId);
    if (stored === undefined) return;
    const vectors = await findQueryVectors(deps, { orgId, ...stored }, cancelled);
    await answerQuery(deps.database, { orgId, id: queryId }, vectors);
  };
}
