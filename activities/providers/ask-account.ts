import type { EntityManager } from '@mikro-orm/postgresql';
import { cancellationSignal } from '@temporalio/activity';
import type { Database } from '../../db/core/database.ts';
import type { SecretBox } from '../../db/core/secret-box.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { getMember } from '../../db/orgs/memberships.ts';
import { getProviderAccount, getTriedAccount } from '../../db/providers/provider-accounts.ts';
import type { ListProviderModelsResult, ProbeResult, ProviderCallInput } from '../../workflows/short/contract.ts';
import type { ListOfferedModels } from '../llm/list-offered-models.ts';
import { modelOfAccount } from '../llm/model-of-account.ts';
import { ProviderFailure } from '../llm/failures/provider-failure.ts';
import type { TryModel } from '../llm/try-model.ts';

const LIMIT_MS = 20_000;

/** How an account is found, and what is requested of it. */
interface Question<Account, Answer> {
  readonly find: (em: EntityManager, accountId: string) => Promise<Account>;
  readonly ask: (account: Account, signal: AbortSignal) => Promise<Answer>;
}

/**
 * Asks the provider of an account something on behalf of a member, for twenty seconds at most. Returns the answer, or
 * why there is none, in words for people.
 */
async function askAccount<Account extends { readonly name: string }, Answer extends object>(
  database: Database,
  { orgId, accountId, userId }: ProviderCallInput,
  { find, ask }: Question<Account, Answer>,
): Promise<({ readonly ok: true } & Answer) | { readonly ok: false; readonly error: string }> {
  const stop = AbortSignal.any([cancellationSignal(), AbortSignal.timeout(LIMIT_MS)]);
  await getMember(database, { orgId, userId });
  const account = await withOrgTransaction(database, orgId, (em) => find(em, accountId));
  try {
    return { ok: true, ...(await ask(account, stop)) };
  } catch (error) {
    if (error instanceof ProviderFailure) return { ok: false, error: error.message };
    if (stop.aborted) return { ok: false, error: `${account.name} did not answer within ${LIMIT_MS / 1000} seconds` };
    throw error;
  }
}

/** The dependencies of account tests. */
export interface CallProviderDeps {
  readonly database: Database;
  readonly box: SecretBox;
  readonly tryModel: TryModel;
}

/** Asks the account's model for one word, on behalf of a member, and measures the time. */
export function createCallProvider({ database, box, tryModel }: CallProviderDeps) {
  return async function callProvider(input: ProviderCallInput): Promise<ProbeResult> {
    return askAccount(database, input, {
      find: getTriedAccount,
      ask: async (account, signal) => {
        const chosen = modelOfAccount(box, account, null);
        return { latencyMs: await tryModel(chosen, signal), model: chosen.model };
      },
    });
  };
}

/** The dependencies of asking accounts for their models. */
export interface ListModelsDeps {
  readonly database: Database;
  readonly box: SecretBox;
  readonly listOfferedModels: ListOfferedModels;
}

/** Asks an account which models it offers, on behalf of a member. */
export function createListModels({ database, box, listOfferedModels }: ListModelsDeps) {
  return async function listModels(input: ProviderCallInput): Promise<ListProviderModelsResult> {
    return askAccount(database, input, {
      find: getProviderAccount,
      ask: async (account, signal) => {
        // An account may be asked for models because it has none yet.
        const chosen = modelOfAccount(box, account, account.modelName ?? '');
        return { models: await listOfferedModels(chosen, signal) };
      },
    });
  };
}
