import type { EntityManager } from '@mikro-orm/postgresql';
import { cancellationSignal } from '@temporalio/activity';
import { type Database, withOrgTransaction } from '../../db/core/index.ts';
import { getMember } from '../../db/orgs/index.ts';
import type { ProviderCallInput } from '../../workflows/short/contract.ts';
import { ProviderFailure } from '../llm/index.ts';

const LIMIT_MS = 20_000;

/** How an account is found, and what it is asked. */
interface Question<Account, Answer> {
  readonly find: (em: EntityManager, accountId: string) => Promise<Account>;
  readonly ask: (account: Account, signal: AbortSignal) => Promise<Answer>;
}

/**
 * Asks the provider of an account something on behalf of a member, for twenty seconds at most. Returns the answer, or
 * why there is none, in words for people.
 */
export async function askAccount<Account extends { readonly name: string }, Answer extends object>(
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
