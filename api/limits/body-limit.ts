import { ConcurrencyLimit } from './concurrency-limit.ts';

interface BodyBounds {
  /** Bytes of all bodies that are on their way to this process. */
  readonly maxBytes: number;
  /** Those of one user, or of one address without a user. */
  readonly maxBytesOfOne: number;
}

/** Less than this always finds room: it holds no more than its connection does. */
const SMALL_BYTES = 16 * 1024;
const RETRY_AFTER_SECONDS = 2;

/**
 * Room for the bodies of requests that are on their way. A body is held in memory until it has arrived whole, for as long as
 * its sender takes; so its room is taken before the first byte is read.
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

  /** Takes room until the returned function is called; throws `limit_reached` when there is none. */
  acquire(sender: string, bytes: number): () => void {
    return bytes <= SMALL_BYTES ? () => undefined : this.#limit.acquire(sender, bytes);
  }
}
