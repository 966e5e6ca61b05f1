import { LRUCache } from 'lru-cache';

/** Accounts remembered at most; the database knows those that were used longer ago. */
const MAX_ACCOUNTS = 10_000;
/** How late the database may hear of a use, in milliseconds. */
const NOTE_EVERY_MS = 1_000;

interface Use {
  readonly at: number;
  /** When the database was last told. */
  readonly notedAt: number;
}

/**
 * When this process last used each account. The database hears of it too, but up to a second late: two turns that begin
 * at once would otherwise both take the same account.
 */
export class AccountUse {
  readonly #lastUses = new LRUCache<string, Use>({ max: MAX_ACCOUNTS });

  /** Notes that the account is used now. Answers whether the database should be told, which is once a second. */
  used(accountId: string, now = Date.now()): boolean {
    const notedAt = this.#lastUses.get(accountId)?.notedAt ?? Number.NEGATIVE_INFINITY;
    const isNoteDue = now - notedAt >= NOTE_EVERY_MS;
    this.#lastUses.set(accountId, { at: now, notedAt: isNoteDue ? now : notedAt });
    return isNoteDue;
  }

  /** The account's last use by this process or, as the database knows it, by any; in milliseconds since 1970. */
  lastUse({ id, lastUsedAt }: { readonly id: string; readonly lastUsedAt: Date | null }): number | null {
    const here = this.#lastUses.peek(id)?.at ?? null;
    const anywhere = lastUsedAt?.getTime() ?? null;
    if (here === null || anywhere === null) return here ?? anywhere;
    return Math.max(here, anywhere);
  }
}
