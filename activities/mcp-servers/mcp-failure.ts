/** The kind of a failure, in the words of a tool's errors. */
export type McpFailureKind = 'invalid_input' | 'not_found' | 'denied' | 'rate_limited' | 'timeout' | 'upstream';

/** The consequences of a failure. */
export interface FailureOptions extends ErrorOptions {
  /** Whether the server may have received the request and acted on it; false unless given. */
  readonly mayHaveRun?: boolean;
  /** Whether the message quotes the server. */
  readonly isForeign?: boolean;
  /** Whether the server may no longer know the session: the request has not run, and another session may do. */
  readonly isSessionLost?: boolean;
  /** Whether the server may speak another transport. */
  readonly isOtherTransport?: boolean;
}

/**
 * A server could not be called, or gave no usable answer. The message is meant for people and models, and contains no
 * secret.
 */
export class McpFailure extends Error {
  override readonly name = 'McpFailure';
  readonly kind: McpFailureKind;
  readonly mayHaveRun: boolean;
  readonly isForeign: boolean;
  readonly isSessionLost: boolean;
  readonly isOtherTransport: boolean;

  constructor(kind: McpFailureKind, message: string, options: FailureOptions = {}) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.mayHaveRun = options.mayHaveRun ?? false;
    this.isForeign = options.isForeign ?? false;
    this.isSessionLost = options.isSessionLost ?? false;
    this.isOtherTransport = options.isOtherTransport ?? false;
  }
}
