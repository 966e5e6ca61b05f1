import type { Logger } from 'pino';
import type { Database, RecordNews } from '../../db/core/index.ts';
import { type AnnouncedEvent, unpackRecordNews } from '../../db/stream/index.ts';
import { readReadyTurn } from '../../db/turns/index.ts';
import type { OrgSubscriptions, OrgViewer } from '../context/org-subscriptions.ts';
import { ChatAudiences } from './chat-audiences.ts';

/** How long news are gathered: what happens together is told together, and each record once. */
const GATHER_MS = 100;
/** News that are gathered, of all organizations; beyond it viewers read everything again. */
const MAX_GATHERED = 5_000;

/** A change whose organization only its chat tells. */
type Gathered = Omit<RecordNews, 'orgId'> & { readonly orgId?: string };

interface OrgFeedsOptions {
  readonly database: Pick<Database, 'system'>;
  readonly log: Logger;
}

/**
 * What changes in the organizations that are watched through this process. It is told on the channels that processes
 * use for each other; while nobody watches nothing is kept, and no statement is run but to look up whose an unknown
 * chat is.
 */
export class OrgFeeds implements OrgSubscriptions {
  readonly #options: OrgFeedsOptions;
  readonly #audiences: ChatAudiences;
  readonly #viewers = new Map<string, Set<OrgViewer>>();
  #gathered = new Map<string, Gathered>();
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

  /** Takes news of records. */
  receive(payload: string): void {
    if (this.#viewers.size === 0) return;
    for (const news of unpackRecordNews(payload)) {
      // It may have been shared, or made private.
      if (news.chatId !== undefined && news.resource === 'chats') this.#audiences.forget(news.chatId);
      if (this.#viewers.has(news.orgId)) this.#gather(news);
    }
  }

  /** Takes the news that a turn waits: its chat has a new message, and is at work. */
  receiveReady(payload: string): void {
    if (this.#viewers.size === 0) return;
    const turn = readReadyTurn(payload);
    if (turn === undefined || !this.#viewers.has(turn.orgId)) return;
    this.#gather({ ...ofChat(turn.chatId), orgId: turn.orgId });
  }

  /** Takes an event of a turn: its end, and waits for decisions. */
  receiveEvent({ chatId, event }: AnnouncedEvent): void {
    if (this.#viewers.size === 0 || event === null) return;
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
    this.#tellSoon();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#telling;
  }

  #gather(news: Gathered): void {
    const key = [news.orgId, news.resource, news.id, news.chatId, news.userId].join(' ');
    if (!this.#gathered.has(key) && this.#gathered.size >= MAX_GATHERED) this.#hasLost = true;
    // What was done last is told.
    else this.#gathered.set(key, news);
    this.#tellSoon();
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
    try {
      const chatIds = new Set(gathered.flatMap(({ chatId }) => chatId ?? []));
      const audiences = await this.#audiences.of([...chatIds]);
      const known = gathered.flatMap((news) => {
        const audience = news.chatId === undefined ? undefined : audiences.get(news.chatId);
        const orgId = news.orgId ?? audience?.orgId;
        return orgId === undefined ? [] : [{ news: { ...news, orgId }, audience }];
      });
      for (const [orgId, ofOrg] of Map.groupBy(known, ({ news }) => news.orgId))
        for (const viewer of this.#viewers.get(orgId) ?? []) viewer.onNews(ofOrg);
    } catch (error) {
      this.#options.log.warn({ err: error }, 'whose chats have changed could not be read; members read again');
      this.#tellLoss();
    }
  }

  #tellLoss(): void {
    this.#hasLost = false;
    for (const viewers of this.#viewers.values()) for (const viewer of viewers) viewer.onLost();
  }
}

function ofChat(chatId: string): Gathered {
  return { resource: 'chats', id: chatId, action: 'changed', chatId };
}
