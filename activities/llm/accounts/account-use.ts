import { LRUCache } from 'lru-cache';

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
