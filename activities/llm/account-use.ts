/** Accounts remembered at most; the database knows those that were used longer ago. */
const MAX_ACCOUNTS = 10_000;

/**
 * When this process last used each account. The database hears of it too, but up to a second late: two turns that begin
 * at once would otherwise both take the same account.
 */
export class AccountUse {
  // Ordered by use: a Map keeps the order in which its keys came.
  readonly #lastUses = new Map<string, number>();

  /** Notes that the account is used now. */
  used(accountId: string, now = Date.now()): void {
    this.#lastUses.delete(accountId);
    this.#lastUses.set(accountId, now);
    if (this.#lastUses.size <= MAX_ACCOUNTS) return;
    const [oldest] = this.#lastUses.keys();
    if (oldest !== undefined) this.#lastUses.delete(oldest);
  }

  /** The account's last use by this process or, as the database knows it, by any; in milliseconds since 1970. */
  lastUse({ id, lastUsedAt }: { readonly id: string; readonly lastUsedAt: Date | null }): number | null {
    const here = this.#lastUses.get(id) ?? null;
    const anywhere = lastUsedAt?.getTime() ?? null;
    if (here === null || anywhere === null) return here ?? anywhere;
    return Math.max(here, anywhere);
  }
}
