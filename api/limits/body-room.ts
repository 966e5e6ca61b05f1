import { AppError } from '../../domain/core/app-error.ts';

interface BodyRoomOptions {
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
export class BodyRoom {
  readonly #options: BodyRoomOptions;
  readonly #ofSenders = new Map<string, number>();
  #bytes = 0;

  constructor(options: BodyRoomOptions) {
    this.#options = options;
  }

  /** Takes room until the answered function is called once; throws `limit_reached` when there is none. */
  take(sender: string, bytes: number): () => void {
    if (bytes <= SMALL_BYTES) return () => undefined;
    const { maxBytes, maxBytesOfOne } = this.#options;
    const ofSender = this.#ofSenders.get(sender) ?? 0;
    if (ofSender + bytes > maxBytesOfOne) throw refusal('You have too many large requests under way; wait for them');
    if (this.#bytes + bytes > maxBytes) throw refusal('The server has too many large requests under way; try again');
    this.#add(sender, bytes);
    return () => this.#add(sender, -bytes);
  }

  #add(sender: string, bytes: number): void {
    this.#bytes += bytes;
    const ofSender = (this.#ofSenders.get(sender) ?? 0) + bytes;
    if (ofSender === 0) this.#ofSenders.delete(sender);
    else this.#ofSenders.set(sender, ofSender);
  }
}

function refusal(message: string): AppError {
  return new AppError('limit_reached', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
