/** Why a code host has not done what it was asked for. */
export type HostErrorKind =
  /** It has rejected the credentials. */
  | 'unauthorized'
  /** The credentials, or nobody without any, may not do it. */
  | 'forbidden'
  /** There is no such repository, or nothing of it that may be seen. */
  | 'not_found'
  /** It asks to wait before the next request. */
  | 'rate_limited'
  /** It cannot be reached, or had an internal error: the same request may succeed later. */
  | 'unavailable'
  /** The answer is larger than asked for. */
  | 'too_large'
  /** The answer is not the one of such a host. */
  | 'unexpected'
  /** It refuses the request for another reason. */
  | 'refused'
  /** Nothing could be sent. */
  | 'unsent';

/** A failure of a code host. The message is for people, and quotes nothing that the host has sent. */
export class CodeHostError extends Error {
  override readonly name = 'CodeHostError';
  readonly kind: HostErrorKind;
  readonly status: number | undefined;
  /** How long the host asks to wait; undefined unless it is `rate_limited`. */
  readonly waitMs: number | undefined;

  constructor(
    kind: HostErrorKind,
    message: string,
    options: ErrorOptions & { readonly status?: number; readonly waitMs?: number } = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.status = options.status;
    this.waitMs = options.waitMs;
  }

  /** Whether other credentials might help. */
  get isOfCredentials(): boolean {
    return this.kind === 'unauthorized' || this.kind === 'forbidden';
  }
}
