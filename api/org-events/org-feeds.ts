import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { type ChatAccess, findChatAccess } from '../../db/chats/chat.ts';
import type { Database } from '../../db/core/database.ts';
import type { RecordNews } from '../../db/core/after-commit.ts';
import type { AnnouncedEvent } from '../../db/stream/wire.ts';
import { unpackRecordNews } from '../../db/stream/record-news.ts';
import { readReadyTurn } from '../../db/turns/ready-turn.ts';
import type { KnownNews, OrgSubscriptions, OrgViewer } from '../context/subscriptions.ts';
import { type ChatNews, GatheredNews, type NewsOfOrg, RecentNews } from './recent-news.ts';
import { SharedFrames } from './org-socket.ts';

/** The chats that are cached, and for how long in case the news of a change was lost. */
const KNOWN = { max: 20_000, ttl: 60_000 };

/** Caches who may see chats. Many chats are read by one statement; a change of one removes it. */
export class ChatAccessCache {
  readonly #database: Pick<Database, 'system'>;
  readonly #known = new LRUCache<string, ChatAccess>(KNOWN);
  // Incremented whenever something is forgotten, after which earlier look-ups may be out of date.
  #generation = 0;

  constructor(database: Pick<Database, 'system'>) {
    this.#database = database;
  }

  /** Returns the cached organization of a chat. */
  knownOrgOf(chatId: string): string | undefined {
    return this.#known.get(chatId)?.orgId;
  }

  /** Returns who may see each of the chats that exist, by its id. */
  async of(chatIds: readonly string[]): Promise<ReadonlyMap<string, ChatAccess>> {
    const found = new Map<string, ChatAccess>();
    for (const id of chatIds) {
      const access = this.#known.get(id);
      if (access !== undefined) found.set(id, access);
    }
    const unknown = chatIds.filter((id) => !found.has(id));
    if (unknown.length === 0) return found;
    const generation = this.#generation;
    for (const access of await findChatAccess(this.#database, unknown)) {
      if (generation === this.#generation) this.#known.set(access.chatId, access);
      found.set(access.chatId, access);
    }
    return found;
  }

  /** Forgets a chat: it was shared or made private. */
  forget(chatId: string): void {
    this.#generation += 1;
    this.#known.delete(chatId);
  }

  /** Forgets all chats: news may have been lost. */
  clear(): void {
    this.#generation += 1;
    this.#known.clear();
  }
}

/** How long news are gathered, so that simultaneous changes are sent together and each record once. */
const GATHER_MS = 100;
/** News that are gathered; beyond it those who watch read everything again. */
const GATHERED = { ofOrg: 2_000, inAll: 20_000 };
/** News that are kept for viewers who come a moment after they have read. */
const RECENT = { forMs: 15_000, ofOrg: 500, inAll: 2_000 };
/**
 * News of chats whose organization is still to be looked up. As each chat is looked up once, this many wait only while
 * the database does not answer; all viewers then read again.
 */
const MAX_UNPLACED = 5_000;

interface OrgFeedsOptions {
  readonly database: Pick<Database, 'system'>;
  readonly log: Logger;
}

/**
 * Distributes changes in the organizations that are watched through this process. News arrive on the channels between
 * processes, and are kept for some seconds, since viewers read before they watch. The only statement looks up the
 * organization of an unknown chat, when somebody watches.
 */
export class OrgFeeds implements OrgSubscriptions {
  readonly #options: OrgFeedsOptions;
  readonly #chatAccess: ChatAccessCache;
  readonly #viewers = new Map<string, Set<OrgViewer>>();
  readonly #gathered = new GatheredNews(GATHERED);
  readonly #recent = new RecentNews(RECENT);
  #unplaced: ChatNews[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();

  constructor(options: OrgFeedsOptions) {
    this.#options = options;
    this.#chatAccess = new ChatAccessCache(options.database);
  }

  subscribe(orgId: string, viewer: OrgViewer): () => void {
    // What fewer may read was not noted for an organization that nobody watched.
    if (!this.#viewers.has(orgId)) this.#chatAccess.clear();
    const viewers = this.#viewers.get(orgId) ?? new Set();
    viewers.add(viewer);
    this.#viewers.set(orgId, viewers);
    return () => {
      viewers.delete(viewer);
      if (viewers.size === 0 && this.#viewers.get(orgId) === viewers) this.#viewers.delete(orgId);
    };
  }

  sendRecent(orgId: string, viewer: OrgViewer, sinceMs: number): void {
    const recent = this.#recent.ofLast(sinceMs, orgId);
    if (recent === 'lost') return viewer.onLost();
    this.#sending = this.#sending.then(async () => this.#sendToViewer(orgId, viewer, recent));
  }

  /** Handles news of records. */
  receive(payload: string): void {
    for (const news of unpackRecordNews(payload)) {
      this.#recent.keep(news);
      // It may have been shared, or made private.
      if (news.chatId !== undefined && news.resource === 'chats') this.#chatAccess.forget(news.chatId);
      if (this.#viewers.has(news.orgId)) this.#gather(news);
    }
  }

  /** Handles the news that a turn waits: its chat has a new message, and is at work. */
  receiveReady(payload: string): void {
    const turn = readReadyTurn(payload);
    if (turn === undefined) return;
    const news = { ...ofChat(turn.chatId), orgId: turn.orgId };
    this.#recent.keep(news);
    if (this.#viewers.has(turn.orgId)) this.#gather(news);
  }

  /** Handles an event of a turn: its end, and waits for decisions. */
  receiveEvent({ chatId, event }: AnnouncedEvent): void {
    if (event === null) return;
    if (event.type === 'turn_end') return this.#resolve(ofChat(chatId));
    if (event.type !== 'approval_requested' && event.type !== 'approval_decided') return;
    const action = event.type === 'approval_requested' ? 'created' : 'changed';
    this.#resolve({ resource: 'approvals', id: event.stepId, action, chatId });
    this.#resolve(ofChat(chatId));
  }

  /** Handles the news that fewer may read a chat, or chats of an organization. */
  receiveAccess(id: string): void {
    this.#chatAccess.forget(id);
    if (this.#viewers.has(id)) this.#chatAccess.clear();
  }

  /** Makes all viewers read again: news may have been lost. */
  renew(): void {
    this.#chatAccess.clear();
    this.#recent.clear();
    this.#loseAll();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#sending;
  }

  #gather(news: RecordNews): void {
    this.#gathered.add(news);
    this.#scheduleSend();
  }

  #resolve(news: ChatNews): void {
    const orgId = this.#chatAccess.knownOrgOf(news.chatId);
    this.#recent.keep(orgId === undefined ? news : { ...news, orgId });
    if (this.#viewers.size === 0) return;
    if (orgId !== undefined) {
      if (this.#viewers.has(orgId)) this.#gather({ ...news, orgId });
    } else if (this.#unplaced.length >= MAX_UNPLACED) {
      this.#loseAll();
    } else {
      this.#unplaced.push(news);
      this.#scheduleSend();
    }
  }

  #loseAll(): void {
    this.#unplaced = [];
    for (const orgId of this.#viewers.keys()) this.#gathered.lose(orgId);
    this.#scheduleSend();
  }

  #scheduleSend(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#sending = this.#sending.then(async () => this.#send());
    }, GATHER_MS);
  }

  async #send(): Promise<void> {
    try {
      await this.#resolveAll();
      const gathered = this.#gathered.take();
      const chatIds = [...gathered.values()].flatMap((news) => (news === 'lost' ? [] : news.flatMap(chatsOf)));
      const accessOf = await this.#chatAccess.of([...new Set(chatIds)]);
      for (const [orgId, news] of gathered) this.#sendToOrg(orgId, news, accessOf);
    } catch (error) {
      this.#options.log.warn({ err: error }, 'whose chats have changed could not be read; members read again');
      this.#gathered.take();
      for (const viewers of this.#viewers.values()) for (const viewer of viewers) viewer.onLost();
    }
  }

  async #resolveAll(): Promise<void> {
    const unplaced = this.#unplaced;
    this.#unplaced = [];
    const accessOf = await this.#chatAccess.of([...new Set(unplaced.flatMap(chatsOf))]);
    for (const news of unplaced) {
      const orgId = accessOf.get(news.chatId)?.orgId;
      if (orgId !== undefined && this.#viewers.has(orgId)) this.#gathered.add({ ...news, orgId });
    }
  }

  async #sendToViewer(orgId: string, viewer: OrgViewer, recent: readonly (RecordNews | ChatNews)[]): Promise<void> {
    try {
      const accessOf = await this.#chatAccess.of([...new Set(recent.flatMap(chatsOf))]);
      const ofOrg = recent.flatMap((news) => {
        const of = 'orgId' in news ? news.orgId : accessOf.get(news.chatId)?.orgId;
        return of === orgId ? [{ ...news, orgId }] : [];
      });
      viewer.onNews(withAccess(ofOrg, accessOf), new SharedFrames());
    } catch (error) {
      this.#options.log.warn({ err: error }, 'whose chats have changed could not be read; a member reads again');
      viewer.onLost();
    }
  }

  #sendToOrg(orgId: string, news: NewsOfOrg, accessOf: ReadonlyMap<string, ChatAccess>): void {
    const viewers = this.#viewers.get(orgId) ?? [];
    if (news === 'lost') {
      for (const viewer of viewers) viewer.onLost();
      return;
    }
    const known = withAccess(news, accessOf);
    const frames = new SharedFrames();
    for (const viewer of viewers) viewer.onNews(known, frames);
  }
}

function withAccess(news: readonly RecordNews[], accessOf: ReadonlyMap<string, ChatAccess>): KnownNews[] {
  return news.map((each) => ({
    news: each,
    access: each.chatId === undefined ? undefined : accessOf.get(each.chatId),
  }));
}

function chatsOf({ chatId }: Pick<RecordNews, 'chatId'>): string[] {
  return chatId === undefined ? [] : [chatId];
}

function ofChat(chatId: string): ChatNews {
  return { resource: 'chats', id: chatId, action: 'changed', chatId };
}
