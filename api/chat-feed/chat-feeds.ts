import type { Logger } from 'pino';
import type { Database } from '../../db/core/database.ts';
import { KeyedSemaphore } from '../../domain/core/keyed-semaphore.ts';
import { type AnnouncedEvent, EVENTS_CHANNEL, unpackPayload } from '../../db/stream/wire.ts';
import { NotificationListener } from '../../db/stream/notification-listener.ts';
import { endedTurnsAfter } from '../../db/turns/progress/chat-progress.ts';
import { readTurnSteps } from '../../db/turns/progress/turn-steps.ts';
import type { ChatSubscriptions, CursorPosition, Viewer } from '../context/subscriptions.ts';
import { ChatFeed, type StalePart, type StepsOfTurns } from './chat-feed.ts';

interface ChatRef {
  readonly orgId: string;
  readonly chatId: string;
}

interface FeedEntry {
  readonly ref: ChatRef;
  readonly feed: ChatFeed;
  readonly loaded: Promise<void>;
}

/** How long a viewer can miss an end whose announcement was lost, in milliseconds. */
const ACTIVE_POLL_MS = 1_000;
const IDLE_POLL_EVERY = 5;

/**
 * Concurrent reads of stale chats, per organization and in total, so that one slow organization does not block others.
 */
const RELOADS = { perKey: 2, total: 8 };

interface ChatFeedsOptions {
  readonly database: Database;
  readonly log: Logger;
  /** Receives each event of a turn, watched or not. */
  onEvent?(event: AnnouncedEvent): void;
  /** Receives the process's other notifications, on `channels`: there is only one listening connection. */
  readonly alsoListen: {
    readonly channels: readonly string[];
    onNotification(channel: string, payload: string): void;
    onDisconnect(): void;
    onReconnect(): void;
  };
}

/** The chats that are watched through this process. */
export class ChatFeeds implements ChatSubscriptions {
  readonly #options: ChatFeedsOptions;
  readonly #feeds = new Map<string, FeedEntry>();
  readonly #stale: Readonly<Record<StalePart, Set<string>>> = {
    'ended turns': new Set(),
    text: new Set(),
    steps: new Set(),
  };
  // Feeds that read rows of their own. They may take long, so that nothing else waits for them.
  readonly #busy = new Map<ChatFeed, Promise<void>>();
  // Chats that could not be read, and why; the next poll tries again.
  readonly #failed = new Map<string, unknown>();
  readonly #reloads = new KeyedSemaphore({
    ...RELOADS,
    maxWaiting: Number.POSITIVE_INFINITY,
    createError: () => new Error('too many chats wait to be read'),
  });
  #listener: NotificationListener | undefined;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;
  #round = 0;
  #isClosed = false;

  private constructor(options: ChatFeedsOptions) {
    this.#options = options;
  }

  /** Starts listening; throws when the database does not respond. */
  static async start(options: ChatFeedsOptions): Promise<ChatFeeds> {
    const feeds = new ChatFeeds(options);
    const { database, alsoListen } = options;
    feeds.#listener = await NotificationListener.start({
      url: database.url,
      channels: [EVENTS_CHANNEL, ...alsoListen.channels],
      onNotification: (channel, payload) => {
        if (channel === EVENTS_CHANNEL) feeds.#receive(payload);
        else alsoListen.onNotification(channel, payload);
      },
      onDisconnect: () => alsoListen.onDisconnect(),
      onReconnect: () => {
        feeds.#markAllStale();
        alsoListen.onReconnect();
      },
    });
    feeds.#timer = setInterval(() => feeds.#poll(), ACTIVE_POLL_MS);
    return feeds;
  }

  async subscribe(ref: ChatRef, open: () => Viewer | undefined, resumeFrom?: CursorPosition): Promise<() => void> {
    const { feed, loaded } = this.#feeds.get(ref.chatId) ?? this.#open(ref);
    await loaded;
    let stop: (() => void) | undefined;
    const leave = () => {
      stop?.();
      if (!feed.hasViewers && this.#feeds.get(ref.chatId)?.feed === feed) this.#feeds.delete(ref.chatId);
    };
    try {
      const viewer = open();
      if (viewer !== undefined) stop = feed.subscribe(viewer, resumeFrom);
    } finally {
      if (stop === undefined) leave();
    }
    return leave;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#listener?.close();
    await Promise.all([this.#reading, ...this.#busy.values()]);
  }

  #open(ref: ChatRef): FeedEntry {
    const feed = new ChatFeed(this.#options.database, ref);
    const loaded = feed.load().then((stale) => this.#addStale(ref.chatId, stale));
    const entry = { ref, feed, loaded };
    this.#track(
      feed,
      loaded.catch(() => undefined),
    );
    this.#feeds.set(ref.chatId, entry);
    loaded.catch(() => this.#feeds.delete(ref.chatId));
    return entry;
  }

  #receive(payload: string): void {
    for (const event of unpackPayload(payload)) {
      this.#options.onEvent?.(event);
      const entry = this.#feeds.get(event.chatId);
      if (entry !== undefined) this.#markStale(event.chatId, entry.feed.receive(event));
    }
  }

  #poll(): void {
    this.#retryFailed();
    this.#round += 1;
    const isFullRound = this.#round % IDLE_POLL_EVERY === 0;
    for (const [chatId, { feed }] of this.#feeds) {
      if (isFullRound || feed.isActive) this.#stale['ended turns'].add(chatId);
      // The end of a step may have been stored by a worker that died before it could announce it.
      if (isFullRound && feed.hasOpenSteps) this.#stale.steps.add(chatId);
    }
    this.#resync();
  }

  #retryFailed(): void {
    const [first] = this.#failed.values();
    if (this.#failed.size === 0) return;
    const chats = this.#failed.size;
    this.#options.log.warn({ err: first, chats }, 'watched chats could not be read; they are read again');
    for (const chatId of this.#failed.keys()) this.#addStale(chatId, ['ended turns', 'text']);
    this.#failed.clear();
  }

  #addStale(chatId: string, stale: readonly StalePart[]): void {
    for (const part of stale) this.#stale[part].add(chatId);
  }

  #markStale(chatId: string, stale: readonly StalePart[]): void {
    this.#addStale(chatId, stale);
    if (stale.length > 0) this.#resync();
  }

  // One statement serves all feeds that are stale now; those that become stale in the meantime wait for the next.
  #resync(): void {
    if (this.#isClosed || this.#reading !== undefined) return;
    if (Object.values(this.#stale).some((chatIds) => [...chatIds].some((chatId) => !this.#isBusy(chatId)))) {
      this.#reading = this.#readAll();
    }
  }

  async #readAll(): Promise<void> {
    try {
      await this.#readRows();
      this.#reading = undefined;
      this.#resync();
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the state of watched chats could not be read; the next poll tries again');
      this.#markAllStale();
      // The next poll tries again.
      this.#reading = undefined;
    }
  }

  // Events were lost, or stale parts could not be read.
  #markAllStale(): void {
    for (const [chatId, { feed }] of this.#feeds) {
      feed.suspend();
      this.#markStale(chatId, ['ended turns', 'text']);
    }
  }

  async #readRows(): Promise<void> {
    const ended = this.#take('ended turns');
    const unclear = new Set(this.#take('text'));
    const stepping = this.#take('steps');
    if (ended.length > 0) await this.#reportEnded(ended.map(({ ref, feed }) => [ref.chatId, feed]));
    const turnIds = stepping.flatMap(({ feed }) => feed.currentTurnId ?? []);
    const steps = await readTurnSteps(this.#options.database, turnIds);
    for (const entry of stepping) {
      if (entry.feed.needsSteps(steps)) unclear.add(entry);
    }
    for (const { ref, feed } of unclear) this.#track(feed, this.#reload(ref, feed, steps));
  }

  async #reload({ orgId, chatId }: ChatRef, feed: ChatFeed, steps: StepsOfTurns): Promise<void> {
    try {
      const stale = await this.#reloads.run(this.#options.database.payers.known(orgId), async () =>
        this.#isClosed ? [] : feed.reload(steps),
      );
      this.#addStale(chatId, stale);
    } catch (error) {
      feed.suspend();
      this.#failed.set(chatId, error);
    }
  }

  // A feed with a read of its own in progress gets no events; what became stale is read afterwards.
  #track(feed: ChatFeed, reading: Promise<void>): void {
    this.#busy.set(feed, this.#finish(feed, reading));
  }

  async #finish(feed: ChatFeed, reading: Promise<void>): Promise<void> {
    await reading;
    this.#busy.delete(feed);
    this.#resync();
  }

  #isBusy(chatId: string): boolean {
    const entry = this.#feeds.get(chatId);
    return entry !== undefined && this.#busy.has(entry.feed);
  }

  async #reportEnded(feeds: readonly (readonly [string, ChatFeed])[]): Promise<void> {
    const { database } = this.#options;
    const { turns, isWhole } = await endedTurnsAfter(
      database,
      feeds.map(([, feed]) => feed.progressQuery),
    );
    const byChat = Map.groupBy(turns, ({ chatId }) => chatId);
    const turnIds = feeds.flatMap(([chatId, feed]) => feed.turnsWithSteps(byChat.get(chatId) ?? []));
    const steps = await readTurnSteps(database, turnIds);
    for (const [chatId, feed] of feeds) {
      feed.reportEnded(byChat.get(chatId) ?? [], steps);
      if (!isWhole) this.#stale['ended turns'].add(chatId);
    }
  }

  // Those that are busy stay.
  #take(part: StalePart): FeedEntry[] {
    const chatIds = [...this.#stale[part]].filter((chatId) => !this.#isBusy(chatId));
    for (const chatId of chatIds) this.#stale[part].delete(chatId);
    return chatIds.flatMap((chatId) => this.#feeds.get(chatId) ?? []);
  }
}
