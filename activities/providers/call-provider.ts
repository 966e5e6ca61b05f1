import { cancellationSignal } from '@temporalio/activity';
import { withOrgTransaction, type Database, type SecretBox } from '../../db/core/index.ts';
import { getMember } from '../../db/orgs/index.ts';
import { getTriedAccount } from '../../db/providers/index.ts';
import type { ProbeProviderInput, ProbeResult } from '../../workflows/providers/contract.ts';
import { type FindAdapter, modelOfAccount, ProviderFailure } from '../llm/index.ts';

interface CallProviderDeps {
  readonly database: Database;
  readonly box: SecretBox;
  readonly findAdapter: FindAdapter;
}

const PROBE_MAX_TOKENS = 16;

/** Asks the account's model for one word, on behalf of a member, and measures the time to the first one. */
export function createCallProvider({ database, box, findAdapter }: CallProviderDeps) {
  return async function callProvider({ orgId, accountId, userId }: ProbeProviderInput): Promise<ProbeResult> {
    const stop = AbortSignal.any([cancellationSignal(), AbortSignal.timeout(20_000)]);
    await getMember(database, { orgId, userId });
    const account = await withOrgTransaction(database, orgId, (em) => getTriedAccount(em, accountId));
    try {
      const chosen = modelOfAccount(box, account, null);
      const messages = [{ role: 'user' as const, content: 'Answer with the single word: ready' }];
      const request = {
        account: chosen.account,
        model: chosen.model,
        messages,
        tools: [],
        temperature: 0,
        maxTokens: PROBE_MAX_TOKENS,
      };
      const startedAt = performance.now();
      for await (const event of findAdapter(chosen)(request, stop)) {
        if (event.type !== 'usage') break;
      }
      return { ok: true, latencyMs: Math.round(performance.now() - startedAt), model: chosen.model };
    } catch (error) {
      if (error instanceof ProviderFailure) return { ok: false, error: error.message };
      if (stop.aborted) return { ok: false, error: `${account.name} did not answer within 20 seconds` };
      throw error;
    }
  };
}
