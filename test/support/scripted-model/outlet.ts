import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { preciseNow, type JournalChange } from './journal.ts';

/**
 * One HTTP answer being given. Waits for slow readers, notices a client that goes away, and tells the journal when
 * things happened. Every wait ends at once when the client is gone; callers then look at `isClosed` and stop.
 */
export class Outlet {
  readonly #response: ServerResponse;
  readonly #change: (change: JournalChange) => void;
  readonly #closed = Promise.withResolvers<void>();
  #wake: (() => void) | undefined;
  #hasSentByte = false;
  #isEnded = false;
  #isClosed = false;

  constructor(response: ServerResponse, change: (change: JournalChange) => void) {
    this.#response = response;
    this.#change = change;
    response.on('close', () => {
      this.#isClosed = true;
      this.#change({ endedAt: preciseNow(), aborted: !this.#isEnded });
      this.#wake?.();
      this.#closed.resolve();
    });
  }

  /** True once the connection is gone, whoever closed it. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  head(status: number, headers: OutgoingHttpHeaders): void {
    this.#response.writeHead(status, headers);
    this.#change({ status });
  }

  /** Sends the headers now instead of together with the first byte. */
  flushHead(): void {
    this.#response.flushHeaders();
  }

  /** Hands bytes to the socket; resolves when the socket wants more. */
  async write(data: string | Buffer, chunksSent?: number): Promise<void> {
    if (this.#isClosed || data.length === 0) return;
    const now = preciseNow();
    const wantsMore = this.#response.write(data);
    if (!this.#hasSentByte) {
      this.#hasSentByte = true;
      this.#change({ firstByteAt: now });
    }
    if (chunksSent !== undefined) this.#change({ chunksSent });
    if (!wantsMore) await this.#until((wake) => this.#response.once('drain', wake));
  }

  async pause(ms: number): Promise<void> {
    if (ms <= 0 || this.#isClosed) return;
    let timer: NodeJS.Timeout | undefined;
    await this.#until((wake) => (timer = setTimeout(wake, ms)));
    clearTimeout(timer);
  }

  /** Waits for a promise or for the client to go away, whichever is first. */
  async race(promise: Promise<void>): Promise<void> {
    await Promise.race([promise, this.#closed.promise]);
  }

  /** Leaves the answer open until the client gives up. */
  async hang(): Promise<void> {
    await this.#closed.promise;
  }

  end(data?: string): void {
    if (this.#isClosed) return;
    if (data !== undefined && !this.#hasSentByte) {
      this.#hasSentByte = true;
      this.#change({ firstByteAt: preciseNow() });
    }
    this.#isEnded = true;
    this.#response.end(data);
  }

  /** Kills the socket after everything written so far has left this process. */
  async destroy(): Promise<void> {
    this.#isEnded = true;
    const socket = this.#response.socket;
    if (socket === null || this.#isClosed) return;
    // The response corks its socket until the next tick; an empty write is called back after what is before it.
    await new Promise<void>((resolve) => process.nextTick(() => socket.write('', () => resolve())));
    socket.destroy();
  }

  /** Kills the connection with a reset, before anything was sent. */
  reset(): void {
    this.#isEnded = true;
    this.#response.socket?.resetAndDestroy();
  }

  async #until(arm: (wake: () => void) => unknown): Promise<void> {
    if (this.#isClosed) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      arm(resolve);
    });
    this.#wake = undefined;
  }
}
