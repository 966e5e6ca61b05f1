import { type Database, type SecretBox, whyUnreadable } from '../../../db/core/index.ts';
import {
  clearFailure,
  coolDownAccount,
  disableAccount,
  noteFailure,
  touchAccount,
  type TurnAccount,
} from '../../../db/providers/index.ts';
import { type AccountAvailability, cooldownEnd } from '../../../domain/provider-chains/index.ts';
import type { AccountUse } from './account-use.ts';
import { concernsAccount } from '../failures/concerns-account.ts';
import type { ProviderFailure } from '../failures/provider-failure.ts';

/** What is needed to note the use of accounts. */
interface AccountDeps {
  readonly database: Database;
  readonly accountUse: AccountUse;
}

/** Returns the states of accounts, by which one is chosen. One whose credentials cannot be decrypted is disabled. */
export function statesOf(
  { accountUse, box }: Pick<AccountDeps, 'accountUse'> & { readonly box: SecretBox },
  accounts: readonly TurnAccount[],
): AccountAvailability[] {
  return accounts.map((account) => ({
    id: account.id,
    providerType: account.providerType,
    cooldownUntil: account.cooldownUntil?.getTime() ?? null,
    disabledReason: account.disabledReason ?? whyUnreadable(box, account.credentials),
    lastUsedAt: accountUse.lastUse(account),
  }));
}

/** Notes that an account is used now. */
export function noteAccountUse({ database, accountUse }: AccountDeps, { id: accountId, orgId }: TurnAccount): void {
  if (!accountUse.used(accountId)) return;
  // Nobody waits for it, and a failure does not affect the order of the next calls.
  void touchAccount(database, { orgId, accountId }).catch(() => undefined);
}

/** Notes what a failure means for its account. Returns until when it cools down. */
export async function learnFromFailure(
  database: Database,
  { id: accountId, orgId, credentials, cooldownSeconds }: TurnAccount,
  failure: ProviderFailure,
): Promise<number | null> {
  const { kind, message: reason, retryAfterMs } = failure;
  if (concernsAccount(failure)) await noteFailure(database, { orgId, accountId, credentials, reason });
  if (kind === 'credentials') await disableAccount(database, { orgId, accountId, credentials, reason });
  if (kind !== 'busy') return null;
  const untilMs = cooldownEnd({ now: Date.now(), cooldownSeconds, retryAfterMs });
  await coolDownAccount(database, { orgId, accountId, untilMs });
  return untilMs;
}

/** Notes that an account has answered, if it had failed before. */
export function learnFromSuccess(database: Database, { id: accountId, orgId, hasFailed }: TurnAccount): void {
  if (!hasFailed) return;
  // Nobody waits for it: the next success says the same.
  void clearFailure(database, { orgId, accountId }).catch(() => undefined);
}
