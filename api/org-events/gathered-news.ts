import type { RecordNews } from '../../db/core/index.ts';

interface GatheredLimits {
  /** News of one organization; beyond it its members read everything again. */
  readonly ofOrg: number;
  /** News of all organizations; beyond it those read everything again that have the most. */
  readonly inAll: number;
}

/** Returns what tells the news of one record from those of others, within an organization. */
export function keyOf({ resource, id, chatId, userId }: Omit<RecordNews, 'orgId'>): string {
  return [resource, id, chatId, userId].join(' ');
}

/** What has changed in an organization; `'lost'` when anything may have. */
export type NewsOfOrg = readonly RecordNews[] | 'lost';

/**
 * News of organizations that wait to be told, each record once, with what was done last. However much happens in an
 * organization, the others lose nothing by it, and what is lost takes no room.
 */
export class GatheredNews {
  readonly #limits: GatheredLimits;
  readonly #ofOrgs = new Map<string, Map<string, RecordNews>>();
  readonly #lost = new Set<string>();
  #size = 0;

  constructor(limits: GatheredLimits) {
    this.#limits = limits;
  }

  add(news: RecordNews): void {
    const { orgId } = news;
    if (this.#lost.has(orgId)) return;
    const ofOrg = this.#ofOrgs.get(orgId) ?? new Map<string, RecordNews>();
    this.#ofOrgs.set(orgId, ofOrg);
    const before = ofOrg.size;
    ofOrg.set(keyOf(news), news);
    this.#size += ofOrg.size - before;
    if (ofOrg.size > this.#limits.ofOrg) this.lose(orgId);
    else if (this.#size > this.#limits.inAll) this.#loseMost();
  }

  /** Has an organization's members read everything again. */
  lose(orgId: string): void {
    this.#size -= this.#ofOrgs.get(orgId)?.size ?? 0;
    this.#ofOrgs.delete(orgId);
    this.#lost.add(orgId);
  }

  /** Returns what was gathered, by organization. */
  take(): ReadonlyMap<string, NewsOfOrg> {
    const taken = new Map<string, NewsOfOrg>();
    for (const orgId of this.#lost) taken.set(orgId, 'lost');
    for (const [orgId, ofOrg] of this.#ofOrgs) taken.set(orgId, [...ofOrg.values()]);
    this.#lost.clear();
    this.#ofOrgs.clear();
    this.#size = 0;
    return taken;
  }

  #loseMost(): void {
    let [most, size] = ['', 0];
    for (const [orgId, ofOrg] of this.#ofOrgs) if (ofOrg.size > size) [most, size] = [orgId, ofOrg.size];
    this.lose(most);
  }
}
