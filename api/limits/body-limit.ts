import type { IncomingMessage } from 'node:http';
import { ConcurrencyLimit } from './concurrency-limit.ts';

interface BodyBounds {
  /** The bytes of all bodies in flight to this process. */
  readonly maxBytes: number;
  /** The bytes of one user, or of one address without a user. */
  readonly maxBytesOfOne: number;
}

/** A smaller body is always admitted: it needs no more memory than its connection. */
const SMALL_BYTES = 16 * 1024;
const RETRY_AFTER_SECONDS = 2;

/** Returns what the body of a request will take: a compressed one, or one of unknown length, may reach the maximum. */
export function declaredBytes({ headers }: IncomingMessage, maxBytes: number): number {
  const length = Number(headers['content-length'] ?? maxBytes);
  return headers['content-encoding'] === undefined ? Math.min(length, maxBytes) : maxBytes;
}

/**
 * Limits the bodies of requests in flight. A body is in memory until it has arrived whole, for as long as its sender
 * takes; so its share is acquired before the first byte is read.
 */
export class BodyLimit {
  readonly #limit: ConcurrencyLimit<string>;

  constructor({ maxBytes, maxBytesOfOne }: BodyBounds) {
    this.#limit = new ConcurrencyLimit<string>(
      [
        {
          max: maxBytesOfOne,
          ownerOf: (sender) => sender,
          refusal: 'You have too many large requests in progress; wait for them',
        },
        {
          max: maxBytes,
          ownerOf: () => 'process',
          refusal: 'The server has too many large requests in progress; try again',
        },
      ],
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    );
  }

  /** Acquires a share; call the returned function to release it. Throws `limit_reached` when there is none. */
  acquire(sender: string, bytes: number): () => void {
    return bytes <= SMALL_BYTES ? () => undefined : this.#limit.acquire(sender, bytes);
  }
}
