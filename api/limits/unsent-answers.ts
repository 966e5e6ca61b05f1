import type { Response } from 'express';
import type { Logger } from 'pino';

/** Less than this is not worth counting. */
const MIN_BYTES = 64 * 1024;

/**
 * Answers that wait for their readers. Who reads slowly, or not at all, keeps the memory of theirs; when all of them
 * together hold too much, those that have waited longest are broken off.
 */
export class UnsentAnswers {
  readonly #maxBytes: number;
  readonly #log: Logger;
  // In the order in which they were given to the network.
  readonly #unsent = new Map<Response, number>();
  #bytes = 0;

  constructor({ maxBytes, log }: { maxBytes: number; log: Logger }) {
    this.#maxBytes = maxBytes;
    this.#log = log;
  }

  /** Counts what the network has not yet taken of an answer that was just given to it. */
  watch(response: Response): void {
    const bytes = response.writableLength;
    if (bytes < MIN_BYTES || response.closed) return;
    this.#unsent.set(response, bytes);
    this.#bytes += bytes;
    response.once('close', () => this.#forget(response));
    while (this.#bytes > this.#maxBytes) this.#breakOffOldest();
  }

  #breakOffOldest(): void {
    const [oldest] = this.#unsent.keys();
    if (oldest === undefined) return;
    this.#log.warn({ bytes: this.#unsent.get(oldest) }, 'an answer was broken off: its reader was too slow');
    this.#forget(oldest);
    oldest.destroy();
  }

  #forget(response: Response): void {
    this.#bytes -= this.#unsent.get(response) ?? 0;
    this.#unsent.delete(response);
  }
}
