/** How many addresses a process tells at once, and how many of them may be of one organization. */
const MAX_AT_ONCE = 100;
const MAX_OF_ORG = 10;

/**
 * Bounds the addresses that a process tells at once. One that never answers holds its place for as long as an attempt
 * may take, and many of them must not hold what turns need, nor what other organizations are to be told with.
 */
export class DeliveryPlaces {
  readonly #ofOrgs = new Map<string, number>();
  #taken = 0;

  /** Takes a place; returns false when there is none for the organization. */
  take(orgId: string): boolean {
    const ofOrg = this.#ofOrgs.get(orgId) ?? 0;
    if (this.#taken >= MAX_AT_ONCE || ofOrg >= MAX_OF_ORG) return false;
    this.#ofOrgs.set(orgId, ofOrg + 1);
    this.#taken += 1;
    return true;
  }

  /** Gives back a place that was taken. */
  release(orgId: string): void {
    const left = (this.#ofOrgs.get(orgId) ?? 1) - 1;
    if (left === 0) this.#ofOrgs.delete(orgId);
    else this.#ofOrgs.set(orgId, left);
    this.#taken -= 1;
  }
}
