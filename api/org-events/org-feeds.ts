import type { Logger } from 'pino';
import type { Database, RecordNews } from '../../db/core/index.ts';
import { type AnnouncedEvent, unpackRecordNews } from '../../db/stream/index.ts';
import { readReadyTurn } from '../../db/turns/index.ts';
import type { KnownNews, OrgSubscriptions, OrgViewer } from '../context/org-subscriptions.ts';
import { ChatAudiences } from './chat-audiences.ts';

/** How long news are gathered: what happens together is told together, and each record once. */
const GATHER_MS = 100;
/** News that are gathered, of all organizations; beyond it viewers read everything again. */
const MAX_GATHERED = 5_000;
/** How long news are kept for viewers who come a moment after they have read, and how many of all organizations. */
const RECENT_MS = 15_000;
const MAX_RECENT = 2_000;

/** A change whose organization only its chat tells. */
type Gathered = Omit<RecordNews, 'orgId'> & { readonly orgId?: string };

/** News, and when they came by the clock of this process, in milliseconds. */
interface Recent {
  readonly at: number;
  readonly news: Gathered;
}

interface OrgFeedsOptions {
  readonly database: Pick<Database, 'system'>;
  readonly log: Logger;
}

/**
 * What changes in the organizations that are watched through this process. It is told on the channels that processes
 * use for each other, and kept for some seconds, since viewers read before they watch. No statement is run but to look
 * up whose an unknown chat is, for somebody who watches.
 */
export class OrgFeeds implements OrgSubscriptions {
  readonly #options: OrgFeedsOptions;
  readonly #audiences: ChatAudiences;
  readonly #viewers = new Map<string, Set<OrgViewer>>();
  #gathered = new Map<string, Gathered>();
  #recent: Recent[] = [];
  // Since when no news are missing among them.
  #recentFrom = performance.now();
  #hasLost = false;
  #timer: NodeJS.Timeout | undefined;
  #telling: Promise<void> = Promise.resolve();

  constructor(options: OrgFeedsOptions) {
    this.#options = options;
    this.#audiences = new ChatAudiences(options.database);
  }

  subscribe(orgId: string, viewer: OrgViewer): () => void {
    // What fewer may read was not noted for an organization that nobody watched.
    if (!this.#viewers.has(orgId)) this.#audiences.clear();
    const viewers = this.#viewers.get(orgId) ?? new Set();
    viewers.add(viewer);
    this.#viewers.set(orgId, viewers);
    return () => {
      viewers.delete(viewer);
      if (viewers.size === 0 && this.#viewers.get(orgId) === viewers) this.#viewers.delete(orgId);
    };
  }

  tellRecent(orgId: string, viewer: OrgViewer, sinceMs: number): void {
    const since = performance.now() - sinceMs;
    this.#dropOld();
    if (since < this.#recentFrom) return viewer.onLost();
    const recent = this.#recent.filter(({ at, news }) => at >= since && (news.orgId ?? orgId) === orgId);
    const told = new Map(recent.map(({ news }) => [keyOf(news), news]));
    this.#telling = this.#telling.then(async () => this.#tellOne(orgId, viewer, [...told.values()]));
  }

  async #tellOne(orgId: string, viewer: OrgViewer, recent: readonly Gathered[]): Promise<void> {
    const known = await this.#known(recent);
    if (known === undefined) viewer.onLost();
    else viewer.onNews(known.filter(({ news }) => news.orgId === orgId));
  }

  /** Takes news of records. */
  receive(payload: string): void {
    for (const news of unpackRecordNews(payload)) {
      // It may have been shared, or made private.
      if (news.chatId !== undefined && news.resource === 'chats') this.#audiences.forget(news.chatId);
      this.#gather(news);
    }
  }

  /** Takes the news that a turn waits: its chat has a new message, and is at work. */
  receiveReady(payload: string): void {
    const turn = readReadyTurn(payload);
    if (turn === undefined) return;
    this.#gather({ ...ofChat(turn.chatId), orgId: turn.orgId });
  }

  /** Takes an event of a turn: its end, and waits for decisions. */
  receiveEvent({ chatId, event }: AnnouncedEvent): void {
    if (event === null) return;
    if (event.type === 'turn_end') return this.#gather(ofChat(chatId));
    if (event.type !== 'approval_requested' && event.type !== 'approval_decided') return;
    const action = event.type === 'approval_requested' ? 'created' : 'changed';
    this.#gather({ resource: 'approvals', id: event.stepId, action, chatId });
    this.#gather(ofChat(chatId));
  }

  /** Takes the news that fewer may read a chat, or chats of an organization. */
  receiveAccess(id: string): void {
    this.#audiences.forget(id);
    if (this.#viewers.has(id)) this.#audiences.clear();
  }

  /** Has all viewers read again: news may have been lost. */
  renew(): void {
    this.#audiences.clear();
    this.#hasLost = true;
    this.#recent = [];
    this.#recentFrom = performance.now();
    this.#tellSoon();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#telling;
  }

  #gather(news: Gathered): void {
    this.#keep(news);
    if (this.#viewers.size === 0 || (news.orgId !== undefined && !this.#viewers.has(news.orgId))) return;
    const key = keyOf(news);
    if (!this.#gathered.has(key) && this.#gathered.size >= MAX_GATHERED) this.#hasLost = true;
    // What was done last is told.
    else this.#gathered.set(key, news);
    this.#tellSoon();
  }

  #keep(news: Gathered): void {
    this.#recent.push({ at: performance.now(), news });
    if (this.#recent.length > MAX_RECENT) this.#dropOld();
  }

  // What is too old; of too many, the older half.
  #dropOld(): void {
    const limit = performance.now() - RECENT_MS;
    const young = this.#recent.findIndex(({ at }) => at >= limit);
    const old = young === -1 ? this.#recent.length : young;
    const dropped = this.#recent.length - old > MAX_RECENT ? this.#recent.length - MAX_RECENT / 2 : old;
    const last = this.#recent.splice(0, dropped).at(-1);
    if (last !== undefined) this.#recentFrom = Math.max(this.#recentFrom, last.at);
  }

  #tellSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#telling = this.#telling.then(async () => this.#tell());
    }, GATHER_MS);
  }

  async #tell(): Promise<void> {
    const gathered = [...this.#gathered.values()];
    this.#gathered = new Map();
    if (this.#hasLost) return this.#tellLoss();
    const known = await this.#known(gathered);
    if (known === undefined) return this.#tellLoss();
    for (const [orgId, ofOrg] of Map.groupBy(known, ({ news }) => news.orgId))
      for (const viewer of this.#viewers.get(orgId) ?? []) viewer.onNews(ofOrg);
  }

  /** Returns the news with who may know of their chats; undefined when that could not be read. */
  async #known(gathered: readonly Gathered[]): Promise<readonly KnownNews[] | undefined> {
    try {
      const chatIds = new Set(gathered.flatMap(({ chatId }) => chatId ?? []));
      const audiences = await this.#audiences.of([...chatIds]);
      return gathered.flatMap((news) => {
        const audience = news.chatId === undefined ? undefined : audiences.get(news.chatId);
        const orgId = news.orgId ?? audience?.orgId;
        return orgId === undefined ? [] : [{ news: { ...news, orgId }, audience }];
      });
    } catch (error) {
      this.#options.log.warn({ err: error }, 'whose chats have changed could not be read; members read again');
      return undefined;
    }
  }

  #tellLoss(): void {
    this.#hasLost = false;
    for (const viewers of this.#viewers.values()) for (const viewer of viewers) viewer.onLost();
  }
}

function keyOf(news: Gathered): string {
  return [news.orgId, news.resource, news.id, news.chatId, news.userId].join(' ');
}

function ofChat(chatId: string): Gathered {
  return { resource: 'chats', id: chatId, action: 'changed', chatId };
}
