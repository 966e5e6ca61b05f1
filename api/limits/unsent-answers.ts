import type { Response } from 'express';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';

/** Less than this is not worth counting. */
const MIN_BYTES = 64 * 1024;

/**
 * Answers that wait for their readers. Who reads slowly, or not at all, keeps the memory of theirs; when all of them
 * together hold too much, those that have waited longest are broken off.
 */
export class UnsentAnswers {
  readonly #bytesOf: LRUCache<Response, number>;

  constructor({ maxBytes, log }: { maxBytes: number; log: Logger }) {
    this.#bytesOf = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: (bytes) => bytes,
      dispose: (bytes, response, reason) => {
        if (reason !== 'evict') return;
        log.warn({ bytes }, 'a response was aborted: its reader was too slow');
        response.destroy();
      },
    });
  }

  /** Counts what the network has not yet taken of an answer that was just given to it. */
  track(response: Response): void {
    const bytes = response.writableLength;
    if (bytes < MIN_BYTES || response.closed) return;
    this.#bytesOf.set(response, bytes);
    response.once('close', () => this.#bytesOf.delete(response));
  }
}
