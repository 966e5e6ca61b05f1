import type { IncomingHttpHeaders } from 'node:http';
import type { ChatMessage, ChatRequest } from './chat-request.ts';

/** One chat completion request and what became of it. Times are milliseconds since the epoch with fractions. */
export interface JournalEntry {
  readonly id: number;
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly body: ChatRequest;
  readonly headers: IncomingHttpHeaders;
  readonly startedAt: number;
  /** Status of the answer; 0 while there are no headers. */
  readonly status: number;
  /** The time at which the first byte of the body was handed to the socket. */
  readonly firstByteAt: number | null;
  /** The time at which the first content or tool call chunk was handed to the socket. */
  readonly firstContentAt: number | null;
  readonly chunksSent: number;
  readonly endedAt: number | null;
  /** True when the client went away before the answer was complete. */
  readonly aborted: boolean;
}

export type JournalChange = Partial<
  Pick<JournalEntry, 'status' | 'firstByteAt' | 'firstContentAt' | 'chunksSent' | 'endedAt' | 'aborted'>
>;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Watcher = (entry: JournalEntry) => void;

/**
 * Returns the time in milliseconds: monotonic within a process and, unlike Date.now(), comparable between processes of
 * one machine.
 */
export function preciseNow(): number {
  return performance.timeOrigin + performance.now();
}

/** The newest requests, bounded. Entries change in place while their request is served. */
export class Journal {
  readonly entries: JournalEntry[] = [];
  readonly #watchers = new Set<Watcher>();
  readonly #limit: number;
  readonly #onEnd: Watcher | undefined;
  #nextId = 1;

  constructor(limit: number, onEnd?: Watcher) {
    this.#limit = limit;
    this.#onEnd = onEnd;
  }

  /** Records a request. The returned function records what happens to it. */
  open(
    body: ChatRequest,
    headers: IncomingHttpHeaders,
    startedAt: number,
  ): { entry: JournalEntry; change: (change: JournalChange) => void } {
    const entry: Mutable<JournalEntry> = {
      id: this.#nextId,
      model: body.model,
      messages: body.messages,
      body,
      headers,
      startedAt,
      status: 0,
      firstByteAt: null,
      firstContentAt: null,
      chunksSent: 0,
      endedAt: null,
      aborted: false,
    };
    this.#nextId += 1;
    this.entries.push(entry);
    if (this.entries.length > this.#limit) this.entries.shift();
    this.#notify(entry);
    const change = (changes: JournalChange): void => {
      Object.assign(entry, changes);
      this.#notify(entry);
    };
    return { entry, change };
  }

  clear(): void {
    this.entries.length = 0;
  }

  /** Resolves with the first entry, recorded or to come, that satisfies the predicate now or after a change. */
  async wait(predicate: (entry: JournalEntry) => boolean, timeoutMs: number): Promise<JournalEntry> {
    const found = this.entries.find(predicate);
    if (found !== undefined) return found;
    return new Promise((resolve, reject) => {
      const watcher: Watcher = (entry) => {
        if (!predicate(entry)) return;
        stop();
        resolve(entry);
      };
      // oxlint-disable-next-line everturn/no-asserted-time -- its callers give the limit
      const timer = setTimeout(() => {
        stop();
        reject(new Error(`no matching request within ${timeoutMs} ms; the journal holds ${this.entries.length}`));
      }, timeoutMs);
      const stop = (): void => {
        clearTimeout(timer);
        this.#watchers.delete(watcher);
      };
      this.#watchers.add(watcher);
    });
  }

  #notify(entry: JournalEntry): void {
    if (entry.endedAt !== null) this.#onEnd?.(entry);
    for (const watcher of this.#watchers) watcher(entry);
  }
}
