import { cancellationSignal } from '@temporalio/activity';
import { type Database, type SecretBox, withOrgTransaction } from '../../db/core/index.ts';
import { getMember } from '../../db/orgs/index.ts';
import { getProviderAccount } from '../../db/providers/index.ts';
import type { ListProviderModelsInput, ListProviderModelsResult } from '../../workflows/providers/contract.ts';
import { type ListOfferedModels, modelOfAccount, ProviderFailure } from '../llm/index.ts';

const LIMIT_MS = 20_000;

/** The dependencies of asking accounts for their models. */
export interface ListModelsDeps {
  readonly database: Database;
  readonly box: SecretBox;
  readonly listOfferedModels: ListOfferedModels;
}

/** Asks an account which models it offers, on behalf of a member. */
export function createListModels({ database, box, listOfferedModels }: ListModelsDeps) {
  return async function listModels({
    orgId,
    accountId,
    userId,
  }: ListProviderModelsInput): Promise<ListProviderModelsResult> {
    const stop = AbortSignal.any([cancellationSignal(), AbortSignal.timeout(LIMIT_MS)]);
    await getMember(database, { orgId, userId });
    const account = await withOrgTransaction(database, orgId, (em) => getProviderAccount(em, accountId));
    try {
      // An account may be asked for models because it has none yet.
      const chosen = modelOfAccount(box, account, account.modelName ?? '');
      return { ok: true, models: await listOfferedModels(chosen, stop) };
    } catch (error) {
      if (error instanceof ProviderFailure) return { ok: false, error: error.message };
      if (stop.aborted) return { ok: false, error: `${account.name} did not answer within ${LIMIT_MS / 1000} seconds` };
      throw error;
    }
  };
}
