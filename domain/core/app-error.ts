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

/** A fault in the value of a field: the name of the field, what leads to the fault within it, and what is wrong. */
export interface FieldFault {
  readonly path: readonly [field: string, ...within: (string | number)[]];
  readonly message: string;
}

/** Values of fields are invalid. The message defaults to that of the first fault. */
export class InvalidFields extends AppError {
  readonly faults: readonly FieldFault[];

  constructor(faults: readonly [FieldFault, ...FieldFault[]], message = faults[0].message) {
    super('unprocessable', message);
    this.faults = faults;
  }
}

/** Throws `InvalidFields` when there are faults. */
export function rejectFaults([first, ...others]: readonly FieldFault[]): void {
  if (first !== undefined) throw new InvalidFields([first, ...others]);
}

const WHOSE = {
  org: 'The organization has reached its limit',
  owner: 'The owner of this organization has reached the limit',
  agent: 'The agent has reached its limit',
  base: 'The knowledge base has reached its limit',
  user: 'You have reached your limit',
  member: 'The member has reached their limit',
};

interface LimitOptions {
  /** Whose limit it is; that of the organization unless another is named. */
  readonly whose?: keyof typeof WHOSE;
  /** Advice for somebody who has reached the limit; the default is to delete some. */
  readonly advice?: string;
}

/** Makes the error for a limit that has been reached: a `conflict`, because waiting does not help. */
export function limitReached(
  things: string,
  limit: number | string,
  { whose = 'org', advice = '; delete what is no longer needed' }: LimitOptions = {},
): AppError {
  return new AppError('conflict', `${WHOSE[whose]} of ${limit.toLocaleString('en')} ${things}${advice}`);
}
