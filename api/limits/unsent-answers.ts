import type { Response } from 'express';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';

/** Smaller responses are not worth counting. */
const MIN_ANSWER_BYTES = 64 * 1024;

/**
 * Tracks responses that wait for their readers. A reader that is slow, or does not read at all, keeps its response in
 * memory; when all together take too much, the oldest are aborted.
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

  /** Counts the unsent part of a response that was just written to, until its reader has taken it. */
  track(response: Response): void {
    const bytes = response.writableLength;
    if (bytes < MIN_ANSWER_BYTES || response.closed) return;
    const isNew = !this.#bytesOf.has(response);
    this.#bytesOf.set(response, bytes);
    if (!isNew) return;
    const forget = () => {
      response.off('close', forget).off('drain', forget);
      this.#bytesOf.delete(response);
    };
    response.on('close', forget).on('drain', forget);
  }
}

/** How long to wait for the reader of a response, in milliseconds. */
const MAX_WAIT_MS = 5_000;

/** Resolves when the network has taken a response, when its reader has disconnected, or when that takes too long. */
export async function whenTaken(response: Response): Promise<void> {
  if (response.writableLength === 0 || response.closed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, MAX_WAIT_MS);
  response.once('finish', resolve).once('close', resolve);
  await promise;
  clearTimeout(timer);
  response.off('finish', resolve).off('close', resolve);
}
