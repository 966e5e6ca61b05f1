import type { RecordNews } from '../../db/core/after-commit.ts';

interface GatheredLimits {
  /** News of one organization; beyond it its members read everything again. */
  readonly ofOrg: number;
  /** News of all organizations; beyond it those read everything again that have the most. */
  readonly inAll: number;
}

/** Returns a key that identifies the record of a change within an organization. */
function keyOf({ resource, id, chatId, userId }: Omit<RecordNews, 'orgId'>): string {
  return [resource, id, chatId, userId].join(' ');
}

/** The changes in an organization; `'lost'` when anything may have changed. */
export type NewsOfOrg = readonly RecordNews[] | 'lost';

/**
 * News of organizations that wait to be sent: the last action on each record. A busy organization displaces nothing of
 * the others, and what is lost uses no memory.
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

  /** Makes an organization's members read everything again. */
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

/** A change whose organization follows from its chat. */
export type ChatNews = Omit<RecordNews, 'orgId'> & { readonly chatId: string };

interface RecentLimits {
  /** How long news are kept, in milliseconds. */
  readonly forMs: number;
  /** News of one organization, and news whose organization is not known; beyond it what was kept of them is lost. */
  readonly ofOrg: number;
  /** News of all organizations; beyond it those lose theirs that have the most. */
  readonly inAll: number;
}

interface Recent {
  /** When it came, by the clock of this process. */
  readonly at: number;
  readonly news: RecordNews | ChatNews;
}

interface RecentOfOrg {
  /** Since when no news are missing. */
  from: number;
  readonly news: Map<string, Recent>;
}

/** Represents the organizations of chats that were not looked up. */
const ANY = '';

/**
 * The news of the last seconds: the last action on each record. A busy organization displaces nothing of the others,
 * and a request for lost news is answered as such.
 */
export class RecentNews {
  readonly #limits: RecentLimits;
  readonly #ofOrgs = new Map<string, RecentOfOrg>();
  #size = 0;
  #from = performance.now();

  constructor(limits: RecentLimits) {
    this.#limits = limits;
  }

  keep(news: RecordNews | ChatNews): void {
    const [orgId, now] = ['orgId' in news ? news.orgId : ANY, performance.now()];
    const ofOrg = this.#ofOrgs.get(orgId) ?? { from: this.#from, news: new Map<string, Recent>() };
    this.#ofOrgs.set(orgId, ofOrg);
    const key = keyOf(news);
    if (!ofOrg.news.delete(key)) this.#size += 1;
    ofOrg.news.set(key, { at: now, news });
    if (ofOrg.news.size > this.#limits.ofOrg) this.#lose(ofOrg, now);
    if (Math.max(this.#size, this.#ofOrgs.size) > this.#limits.inAll) this.#makeRoom(now);
  }

  /**
   * Returns what came in the last milliseconds, of an organization and of chats that may be another's; `'lost'` when
   * some of it is not known any more.
   */
  ofLast(ms: number, orgId: string): readonly (RecordNews | ChatNews)[] | 'lost' {
    const now = performance.now();
    const kept = [orgId, ANY].flatMap((id) => this.#ofOrgs.get(id) ?? []);
    const from = Math.max(this.#from, now - this.#limits.forMs, ...kept.map((each) => each.from));
    if (now - ms < from) return 'lost';
    const recent = kept.flatMap((each) => [...each.news.values()]);
    return recent.flatMap(({ at, news }) => (at >= now - ms ? [news] : []));
  }

  /** Forgets all: news may have been missed. */
  clear(): void {
    this.#ofOrgs.clear();
    this.#size = 0;
    this.#from = performance.now();
  }

  #lose(ofOrg: RecentOfOrg, now: number): void {
    this.#size -= ofOrg.news.size;
    ofOrg.news.clear();
    ofOrg.from = now;
  }

  // Half of it, so that it is not done for each of many.
  #makeRoom(now: number): void {
    this.#dropOld(now - this.#limits.forMs);
    const half = this.#limits.inAll / 2;
    for (const ofOrg of [...this.#ofOrgs.values()].toSorted((a, b) => b.news.size - a.news.size)) {
      if (this.#size <= half) break;
      this.#lose(ofOrg, now);
    }
    // The marks of organizations that have lost theirs use memory too.
    if (this.#ofOrgs.size > half) this.clear();
  }

  #dropOld(before: number): void {
    for (const [orgId, ofOrg] of this.#ofOrgs) {
      for (const [key, { at }] of ofOrg.news) {
        if (at >= before) break;
        ofOrg.news.delete(key);
        this.#size -= 1;
      }
      if (ofOrg.news.size === 0 && ofOrg.from < before) this.#ofOrgs.delete(orgId);
    }
  }
}
