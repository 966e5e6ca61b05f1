import { LRUCache } from 'lru-cache';
import { type Database, type SecretBox, whyUnreadable } from '../../db/core/index.ts';
import {
  clearFailure,
  coolDownAccount,
  disableAccount,
  noteFailure,
  touchAccount,
  type TurnAccount,
} from '../../db/providers/index.ts';
import { type AccountAvailability, cooldownEnd } from '../../domain/provider-chains.ts';
import type { ProviderFailure } from './failures/provider-failure.ts';
import { ReportedError } from './failures/reported-error.ts';

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

/** The number of accounts to remember; the database knows about older uses. */
const MAX_ACCOUNTS = 10_000;

/** The longest delay before the database hears of a use, in milliseconds. */
const NOTE_EVERY_MS = 1_000;

interface Use {
  readonly at: number;
  /** The time of the last update in the database. */
  readonly notedAt: number;
}

/**
 * Remembers when this process last used each account. The database learns of it up to a second later, so without this
 * two turns that begin at once would take the same account.
 */
export class AccountUse {
  readonly #lastUses = new LRUCache<string, Use>({ max: MAX_ACCOUNTS });

  /** Notes that the account is used now. Returns whether to update the database, which happens once a second. */
  used(accountId: string, now = Date.now()): boolean {
    const notedAt = this.#lastUses.get(accountId)?.notedAt ?? Number.NEGATIVE_INFINITY;
    const isNoteDue = now - notedAt >= NOTE_EVERY_MS;
    this.#lastUses.set(accountId, { at: now, notedAt: isNoteDue ? now : notedAt });
    return isNoteDue;
  }

  /**
   * Returns the account's last use by this process or, as far as the database knows, by any; in milliseconds since
   * 1970.
   */
  lastUse({ id, lastUsedAt }: { readonly id: string; readonly lastUsedAt: Date | null }): number | null {
    const here = this.#lastUses.peek(id)?.at ?? null;
    const anywhere = lastUsedAt?.getTime() ?? null;
    if (here === null || anywhere === null) return here ?? anywhere;
    return Math.max(here, anywhere);
  }
}

/**
 * Returns whether a failure that neither disables its account nor has it cool down says something about the account all
 * the same, and not only about the request: that its provider cannot be reached, fails, or lacks the model.
 */
function concernsAccount({ kind, cause }: ProviderFailure): boolean {
  if (kind === 'outage' || kind === 'timeout') return true;
  if (kind !== 'rejected' || cause === undefined) return false;
  return !(cause instanceof ReportedError) || cause.status === 404;
}
