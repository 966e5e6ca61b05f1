import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { type NewAuditEntry, recordAuditEntries } from '../../db/audit.ts';
import type { Database } from '../../db/core/database.ts';
import { isDatabaseUnavailable } from '../../db/core/unavailable.ts';
import { DenialBudget } from '../../domain/audit.ts';
import { networkOf } from '../../domain/network/addresses.ts';
import type { AuditEvent, AuditTrail } from '../auditing/audited-caller.ts';

/** How long the response to a change waits for its entry: the change itself is done and stays. */
const PATIENCE_MS = 2_000;
const FLUSH_MS = 250;
const BATCH = 200;
/** The number of entries that wait in memory while the database is down. */
const MAX_WAITING = 10_000;
const TOO_MANY = 'too many entries of the audit log are waiting to be stored';

interface AuditLogOptions {
  readonly database: Database;
  readonly log: Logger;
}

/** The audit log, written in batches by the processes of the api. */
export class AuditLog implements AuditTrail {
  readonly #database: Database;
  readonly #log: Logger;
  readonly #budget = new DenialBudget<NewAuditEntry>(Date.now());
  readonly #timer: NodeJS.Timeout;
  readonly #changes = new GroupedWrites<NewAuditEntry>(async (entries) => this.#storeOrKeep(entries));
  readonly #waiting: NewAuditEntry[] = [];
  #flushing: Promise<void> = Promise.resolve();
  #unknownCallers = 0;

  constructor({ database, log }: AuditLogOptions) {
    this.#database = database;
    this.#log = log;
    this.#timer = setInterval(() => void this.#flush(), FLUSH_MS);
  }

  async changed(event: AuditEvent): Promise<void> {
    const stored = this.#storeWithOthers(toEntry(event));
    let patience: NodeJS.Timeout | undefined;
    const tooLong = new Promise<void>((resolve) => (patience = setTimeout(resolve, PATIENCE_MS)));
    await Promise.race([stored, tooLong]);
    clearTimeout(patience);
  }

  // Stored apart from the request: the response time must not reveal whether the account exists.
  denied(event: AuditEvent): void {
    const network = networkOf(event.ip);
    // A caller who merely claims a key may claim another one each time.
    const ofKey = event.apiKeyPublicId === undefined ? undefined : `unknown keys from ${network}`;
    const actor = event.actorId ?? event.sessionId ?? ofKey;
    if (actor === undefined) {
      this.#unknownCallers += 1;
      return;
    }
    const entry = toEntry(event);
    if (this.#budget.take({ actor, ip: network }, entry)) this.#wait([entry]);
  }

  /** Stores the waiting entries, and accepts no more. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#changes.whenIdle();
    await this.#flush(true);
    if (this.#waiting.length > 0) this.#logLost(this.#waiting, 'entries of the audit log were never stored');
  }

  // Responses await it, so that none is sent before its entry is stored.
  async #storeWithOthers(entry: NewAuditEntry): Promise<void> {
    if (this.#changes.waitingCount < MAX_WAITING) await this.#changes.add(entry);
    else this.#logLost([entry], TOO_MANY);
  }

  async #flush(isLast = false): Promise<void> {
    this.#flushing = this.#flushing.then(async () => this.#storeWaiting(isLast));
    await this.#flushing;
  }

  async #storeWaiting(isLast: boolean): Promise<void> {
    this.#endMinute(isLast);
    this.#logUnknownCallers();
    for (let isStored = true; isStored && this.#waiting.length > 0;) {
      isStored = await this.#storeOrKeep(this.#waiting.splice(0, BATCH));
    }
  }

  #endMinute(isLast: boolean): void {
    const remainders = this.#budget.roll(Date.now(), isLast);
    this.#wait(remainders.map(({ last, attempts }) => ({ ...last, attempts })));
    if (remainders.length > 0)
      this.#log.warn({ users: remainders.length }, 'many denied attempts were recorded as one sum');
  }

  /** Returns false when the database is down; the entries then wait. */
  async #storeOrKeep(entries: readonly NewAuditEntry[]): Promise<boolean> {
    try {
      await this.#store(entries);
      return true;
    } catch (error) {
      if (isDatabaseUnavailable(error)) {
        this.#wait(entries);
        return false;
      }
      // One of them is invalid: the others are stored without it, and the process's log keeps it.
      if (entries.length === 1) this.#logLost(entries, 'an entry of the audit log could not be stored', error);
      else for (const entry of entries) await this.#storeOrKeep([entry]);
      return true;
    }
  }

  async #store(entries: readonly NewAuditEntry[]): Promise<void> {
    const unrecorded = new Set(await recordAuditEntries(this.#database, entries));
    const unplaced = entries.filter(({ id }) => unrecorded.has(id));
    const [denied, others] = [
      unplaced.filter(({ outcome }) => outcome === 'denied'),
      unplaced.filter(({ outcome }) => outcome !== 'denied'),
    ];
    // Anybody can make up credentials, as many as they like: they are only counted.
    for (const { attempts } of denied) this.#unknownCallers += attempts;
    if (others.length > 0) this.#log.info({ entries: others }, 'entries that belong to no organization');
  }

  #wait(entries: readonly NewAuditEntry[]): void {
    const room = Math.max(0, MAX_WAITING - this.#waiting.length);
    this.#waiting.push(...entries.slice(0, room));
    if (entries.length > room) this.#logLost(entries.slice(room), TOO_MANY);
  }

  #logLost(entries: readonly NewAuditEntry[], message: string, error?: unknown): void {
    this.#log.error({ err: error, entries }, message);
  }

  #logUnknownCallers(): void {
    if (this.#unknownCallers === 0) return;
    this.#log.info({ count: this.#unknownCallers }, 'attempts of unknown callers were rejected');
    this.#unknownCallers = 0;
  }
}

function toEntry(event: AuditEvent): NewAuditEntry {
  const now = Date.now();
  return { ...event, id: uuidv7(), createdAt: new Date(now), attempts: 1 };
}

/** Items written by one call; what waits beyond it goes with the next one. */
const MAX_GROUP = 200;

/** Two, so that one write that waits for a lock does not block all others. */
const MAX_WRITES = 2;

interface Waiting<T> {
  readonly item: T;
  readonly settle: () => void;
}

/**
 * Writes items in groups (_group commit_). While nothing is being written an item is written at once, by itself; what
 * arrives in the meantime is written together. `write` must not reject, and takes the items in the order in which they
 * came.
 */
export class GroupedWrites<T> {
  readonly #write: (items: readonly T[]) => Promise<unknown>;
  readonly #waiting: Waiting<T>[] = [];
  readonly #writes = new Set<Promise<void>>();

  constructor(write: (items: readonly T[]) => Promise<unknown>) {
    this.#write = write;
  }

  /** The number of items that no write has taken yet. */
  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** Resolves when the write that took the item has ended. */
  async add(item: T): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ item, settle: resolve });
    if (this.#writes.size < MAX_WRITES) this.#begin();
    await promise;
  }

  /** Resolves when everything added before it resolves is written. */
  async whenIdle(): Promise<void> {
    while (this.#writes.size > 0) await Promise.all(this.#writes);
  }

  #begin(): void {
    const write = this.#writeAll().finally(() => this.#writes.delete(write));
    this.#writes.add(write);
  }

  async #writeAll(): Promise<void> {
    for (;;) {
      const group = this.#waiting.splice(0, MAX_GROUP);
      if (group.length === 0) return;
      await this.#write(group.map(({ item }) => item));
      for (const { settle } of group) settle();
    }
  }
}
