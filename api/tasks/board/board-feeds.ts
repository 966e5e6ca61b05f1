import type { Logger } from 'pino';
import type { Database } from '../../../db/core/database.ts';
import { CHANGED_FOR_SECONDS, type ChangedTask, readChangedTasks, unpackBoardNews } from '../../../db/tasks/board.ts';
import { type BoardSubscriptions, type BoardViewer, sees } from '../../context/subscriptions.ts';

/** How often watched boards are read: what turns change is not announced. */
const POLL_MS = 500;
/** The least time from one reading to the next, however much is announced. */
const MIN_GAP_MS = 100;
/** How often viewers get their whole boards, in case the announcement of a removed task was lost. */
const RENEW_MS = 5 * 60_000;
/** How many changed tasks one statement reads. When more have changed, viewers get their whole boards. */
const MAX_CHANGED = 2_000;
/** The longest time between two readings in which no change is missed. */
const MAX_GAP_MS = (CHANGED_FOR_SECONDS - 5) * 1_000;

interface BoardFeedsOptions {
  readonly database: Database;
  readonly log: Logger;
}

/**
 * The boards that are watched through this process. One statement reads what has changed on all of them: twice a
 * second, and sooner when a change is announced. It finds each change for some seconds, and sends it to viewers once.
 */
export class BoardFeeds implements BoardSubscriptions {
  readonly #options: BoardFeedsOptions;
  readonly #viewers = new Map<string, Set<BoardViewer>>();
  // The versions of tasks that the last reading found; viewers know them.
  #sentVersions = new Map<string, string>();
  #lastReadAt = 0;
  #lastRenewAt = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #early: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: BoardFeedsOptions) {
    this.#options = options;
  }

  subscribe(projectId: string, viewer: BoardViewer): () => void {
    const viewers = this.#viewers.get(projectId) ?? new Set();
    viewers.add(viewer);
    this.#viewers.set(projectId, viewers);
    this.#timer ??= this.#start();
    return () => {
      viewers.delete(viewer);
      if (viewers.size === 0 && this.#viewers.get(projectId) === viewers) this.#viewers.delete(projectId);
    };
  }

  /** Handles an announcement. */
  receive(payload: string): void {
    const news = unpackBoardNews(payload);
    const viewers = news && this.#viewers.get(news.projectId);
    if (viewers === undefined) return;
    const { removed, isWhole } = news ?? {};
    if (removed !== undefined) {
      for (const viewer of viewers) if (sees(viewer.reader, removed)) viewer.onRemoved(removed.taskId);
    } else if (isWhole === true) for (const viewer of viewers) viewer.onStale();
    else this.#readSoon();
  }

  /** Sends all viewers their whole boards, because announcements may have been lost. */
  renew(): void {
    this.#lastRenewAt = performance.now();
    for (const viewers of this.#viewers.values()) for (const viewer of viewers) viewer.onStale();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stop();
    await this.#reading;
  }

  #start(): NodeJS.Timeout {
    this.#lastReadAt = performance.now();
    return setInterval(() => this.#poll(), POLL_MS);
  }

  #stop(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#early);
    this.#timer = undefined;
    this.#early = undefined;
  }

  #poll(): void {
    if (this.#viewers.size === 0) {
      this.#sentVersions.clear();
      this.#stop();
      return;
    }
    if (performance.now() - this.#lastRenewAt > RENEW_MS) this.renew();
    this.#read();
  }

  #readSoon(): void {
    if (this.#early !== undefined || this.#isClosed) return;
    const waitMs = Math.max(0, this.#lastReadAt + MIN_GAP_MS - performance.now());
    this.#early = setTimeout(() => {
      this.#early = undefined;
      this.#read();
    }, waitMs);
  }

  #read(): void {
    if (this.#isClosed) return;
    // An announcement during a read may come too late for it.
    if (this.#reading !== undefined) return void this.#reading.then(() => this.#readSoon());
    this.#reading = this.#sendChanges().finally(() => {
      this.#reading = undefined;
    });
  }

  async #sendChanges(): Promise<void> {
    const startedAt = performance.now();
    try {
      const changed = await readChangedTasks(this.#options.database, [...this.#viewers.keys()], MAX_CHANGED);
      const isBehind = startedAt - this.#lastReadAt > MAX_GAP_MS || this.#hasGap(changed);
      this.#lastReadAt = startedAt;
      // In the order of the changes.
      for (const task of changed.toReversed()) if (this.#sentVersions.get(task.id) !== task.version) this.#send(task);
      this.#sentVersions = new Map(changed.map(({ id, version }) => [id, version]));
      if (isBehind) this.renew();
    } catch (error) {
      this.#options.log.warn({ err: error }, 'watched boards could not be read; the next poll tries again');
    }
  }

  // Returns whether changes may be missing between those just read and those already sent.
  #hasGap(changed: readonly ChangedTask[]): boolean {
    const oldest = changed.at(-1);
    return (
      changed.length === MAX_CHANGED && oldest !== undefined && this.#sentVersions.get(oldest.id) !== oldest.version
    );
  }

  #send({ projectId, ownerId, isShared, version: _version, ...task }: ChangedTask): void {
    for (const viewer of this.#viewers.get(projectId) ?? [])
      if (sees(viewer.reader, { ownerId, isShared })) viewer.onTask(task);
  }
}
