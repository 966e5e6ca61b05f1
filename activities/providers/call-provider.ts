import { cancellationSignal } from '@temporalio/activity';
import { withOrgTransaction, type Database, type SecretBox } from '../../db/core/index.ts';
import { getMember } from '../../db/orgs/index.ts';
import { getTriedAccount } from '../../db/providers/index.ts';
import type { ProbeProviderInput, ProbeResult } from '../../workflows/providers/contract.ts';
import { modelOfAccount, ProviderFailure, type TryModel } from '../llm/index.ts';

/** The dependencies of account tests. */
export interface CallProviderDeps {
  readonly database: Database;
  readonly box: SecretBox;
  readonly tryModel: TryModel;
}

/** Asks the account's model for one word, on behalf of a member, and measures the time. */
export function createCallProvider({ database, box, tryModel }: CallProviderDeps) {
  return async function callProvider({ orgId, accountId, userId }: ProbeProviderInput): Promise<ProbeResult> {
    const stop = AbortSignal.any([cancellationSignal(), AbortSignal.timeout(20_000)]);
    await getMember(database, { orgId, userId });
    const account = await withOrgTransaction(database, orgId, (em) => getTriedAccount(em, accountId));
    try {
      const chosen = modelOfAccount(box, account, null);
      return { ok: true, latencyMs: await tryModel(chosen, stop), model: chosen.model };
    } catch (error) {
      if (error instanceof ProviderFailure) return { ok: false, error: error.message };
      if (stop.aborted) return { ok: false, error: `${account.name} did not answer within 20 seconds` };
      throw error;
    }
  };
}
