import { AsyncLocalStorage } from 'node:async_hooks';
import type { McpFailure } from './mcp-failure.ts';

/** How long a stream may go on after its answer: a connection whose stream has ended in order is used again. */
const GRACE_MS = 100;

interface ExchangeOptions {
  /** Whether it is one request, so that nothing more can come once the stream of its answer has ended. */
  readonly isOneRequest: boolean;
}

/**
 * A request and everything that comes back for it. The SDK does not tell a caller that the stream of its answer has
 * ended or grows without bounds; the requests over the network find the exchange that they belong to here, and break it
 * off.
 */
export class Exchange {
  static readonly #current = new AsyncLocalStorage<Exchange>();
  readonly #isOneRequest: boolean;
  readonly #over = new AbortController();
  readonly #broken = Promise.withResolvers<never>();

  constructor({ isOneRequest }: ExchangeOptions) {
    this.#isOneRequest = isOneRequest;
    this.#broken.promise.catch(() => undefined);
  }

  /** The exchange in which the calling code runs. */
  static get current(): Exchange | undefined {
    return Exchange.#current.getStore();
  }

  /** Aborts when nothing that still comes is of use. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Runs `work` as the request of this exchange; throws the failure that breaks it off. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await Promise.race([Exchange.#current.run(this, work), this.#broken.promise]);
      setTimeout(() => this.#over.abort(), GRACE_MS).unref();
      return result;
    } catch (error) {
      this.#over.abort();
      throw error;
    }
  }

  /** Notes that the stream of an answer has ended: without one, it breaks off. */
  endStream(failure: McpFailure): void {
    // The answer that it has brought is read a moment later.
    if (this.#isOneRequest) setTimeout(() => this.breakOff(failure), GRACE_MS);
  }

  /** Ends it with a failure, unless it is over. */
  breakOff(failure: McpFailure): void {
    this.#broken.reject(failure);
  }
}
