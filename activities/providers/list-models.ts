import type { Database, SecretBox } from '../../db/core/index.ts';
import { getProviderAccount } from '../../db/providers/index.ts';
import type { ListProviderModelsResult, ProviderCallInput } from '../../workflows/short/contract.ts';
import { type ListOfferedModels, modelOfAccount } from '../llm/index.ts';
import { askAccount } from './ask-account.ts';

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
