/** The classes of failure that a model can react to (docs/tools.md). */
export const TOOL_FAILURE_CLASSES = [
  'invalid_input',
  'not_found',
  'denied',
  'rate_limited',
  'timeout',
  'upstream',
] as const;
export type ToolFailureClass = (typeof TOOL_FAILURE_CLASSES)[number];

/** The classes of failure after which another attempt may help. */
const PASSING: ReadonlySet<ToolFailureClass> = new Set(['rate_limited', 'timeout', 'upstream']);

/** The message for a full disk, whichever way it was noticed. */
export const DISK_FULL = 'The disk of the server is full; its operator has to make room';

/** A tool could not do its work. The message is for the model and contains no secret. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
  readonly kind: ToolFailureClass;
  /** Whether it may have taken effect anyway. */
  readonly isUncertain: boolean;
  /** Whether the message may quote text from outside. */
  readonly isForeign: boolean;
  /** How long the other side asks to wait before the same call, which has changed nothing; undefined unless it does. */
  readonly waitMs: number | undefined;

  constructor(
    kind: ToolFailureClass,
    message: string,
    options: ErrorOptions & { isUncertain?: boolean; isForeign?: boolean; waitMs?: number | undefined } = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.isUncertain = options.isUncertain ?? false;
    this.isForeign = options.isForeign ?? false;
    this.waitMs = options.waitMs;
  }

  /** Whether another attempt may help. */
  get mayPass(): boolean {
    return PASSING.has(this.kind);
  }

  /** Returns the same failure, marked as one whose message may quote text from outside. */
  asForeign(): ToolFailure {
    const { kind, message, isUncertain, waitMs } = this;
    return new ToolFailure(kind, message, { isUncertain, isForeign: true, waitMs, cause: this });
  }
}

/** The input of a call has killed the process that worked on it. */
export class ProcessDied extends ToolFailure {}
