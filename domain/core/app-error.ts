/**
 * The closed set of expected failures. Anything that is not an `AppError` is a bug or an outage.
 * `api/http/problem.ts` gives each code its HTTP status.
 */
export type AppErrorCode =
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'invalid'
  | 'conflict'
  | 'precondition_failed'
  | 'too_large'
  | 'unsupported_media_type'
  | 'range_not_satisfiable'
  | 'misdirected'
  | 'unprocessable'
  | 'limit_reached'
  | 'upstream_failed'
  | 'unavailable';

interface AppErrorOptions {
  readonly cause?: unknown;
  /** Seconds after which the same request may succeed; becomes `Retry-After`. */
  readonly retryAfterSeconds?: number;
}

/** An expected failure. `message` is shown to the caller: it names no internals and no foreign ids. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: AppErrorCode;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: AppErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** Returns the one answer for a record that does not exist, was deleted or belongs to somebody else. */
export function notFound(thing: string): AppError {
  return new AppError('not_found', `${thing} not found`);
}
