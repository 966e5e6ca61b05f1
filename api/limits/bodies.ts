import type { IncomingMessage, RequestListener } from 'node:http';
import { ConcurrencyLimit } from './concurrency-limit.ts';

interface BodyBounds {
  /** The bytes of all bodies in flight to this process. */
  readonly maxBytes: number;
  /** The bytes of one user, or of one address without a user. */
  readonly maxBytesOfOne: number;
}

/** A smaller body is always admitted: it holds no more memory than its connection does. */
const SMALL_BYTES = 16 * 1024;
const RETRY_AFTER_SECONDS = 2;

/** Returns what the body of a request will take: a compressed one, or one of unknown length, may reach the maximum. */
export function declaredBytes({ headers }: IncomingMessage, maxBytes: number): number {
  const length = Number(headers['content-length'] ?? maxBytes);
  return headers['content-encoding'] === undefined ? Math.min(length, maxBytes) : maxBytes;
}

/**
 * Limits the bodies of requests in flight. A body is held in memory until it has arrived whole, for as long as its
 * sender takes; so its share is acquired before the first byte is read.
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

/** The number of pieces that the body of one request may arrive in, however small they are. */
const MAX_PIECES = 4_000;

/** The least size of the pieces of a longer body, on average. A packet holds more. */
const MIN_CHUNK_BYTES = 256;

/**
 * Serves requests, and closes a connection whose body comes in chunks of a byte or little more. Each chunk costs the
 * process a microsecond and a hundred bytes while it is held, a hundred times its content; one packet has thousands.
 */
export function limitBodyChunks(serve: RequestListener): RequestListener {
  return (request, response) => {
    const { socket } = request;
    const push = request.push.bind(request);
    let pieces = 0;
    let bytes = 0;
    // On the request itself, because Express replaces its prototype.
    request.push = (chunk: Buffer | null, encoding) => {
      pieces += 1;
      bytes += chunk?.length ?? 0;
      if (pieces <= MAX_PIECES || bytes >= pieces * MIN_CHUNK_BYTES || chunk === null) return push(chunk, encoding);
      socket.destroy();
      return false;
    };
    // Data after the response is read and counted too; Node would read it past `push`.
    response.prependOnceListener('finish', () => {
      request.read(0);
      request.resume();
    });
    serve(request, response);
  };
}

/** How long the body of a request may take to arrive, in milliseconds, unless its route allows it more. */
export const BODY_TIME_MS = 30_000;

interface Deadline {
  extend(ms: number): void;
}

const deadlines = new WeakMap<IncomingMessage, Deadline>();

/**
 * Serves requests, and calls `reject` for one whose body has not arrived in time. Node has one limit for all requests
 * of a server, and files take longer than everything else.
 */
export function limitRequestTime(
  serve: RequestListener,
  { timeMs, reject }: { readonly timeMs: number; readonly reject: (request: IncomingMessage) => void },
): RequestListener {
  return (request, response) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    if (encoding === undefined && (length === undefined || length === '0')) return serve(request, response);
    const begin = (ms: number) =>
      setTimeout(() => {
        if (!request.complete) reject(request);
      }, ms).unref();
    let timer = begin(timeMs);
    deadlines.set(request, {
      extend: (ms) => {
        clearTimeout(timer);
        timer = begin(ms);
      },
    });
    request.once('close', () => clearTimeout(timer));
    return serve(request, response);
  };
}

/** Gives the body of a request so many milliseconds from now to arrive. */
export function allowTime(request: IncomingMessage, ms: number): void {
  deadlines.get(request)?.extend(ms);
}
