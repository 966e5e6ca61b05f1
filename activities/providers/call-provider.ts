import type { Database, SecretBox } from '../../db/core/index.ts';
import { getTriedAccount } from '../../db/providers/index.ts';
import type { ProbeResult, ProviderCallInput } from '../../workflows/short/contract.ts';
import { modelOfAccount, type TryModel } from '../llm/index.ts';
import { askAccount } from './ask-account.ts';

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
