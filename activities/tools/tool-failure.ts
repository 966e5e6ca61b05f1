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

/** A tool could not do its work. The message is for the model and holds no secret. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
  readonly kind: ToolFailureClass;
  /** Whether it may have taken effect anyway. */
  readonly isUncertain: boolean;
  /** Whether the message may quote text from outside. */
  readonly isForeign: boolean;

  constructor(
    kind: ToolFailureClass,
    message: string,
    options: ErrorOptions & { isUncertain?: boolean; isForeign?: boolean } = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.isUncertain = options.isUncertain ?? false;
    this.isForeign = options.isForeign ?? false;
  }

  /** Returns the same failure, marked as one whose message may quote text from outside. */
  asForeign(): ToolFailure {
    const { kind, message, isUncertain } = this;
    return new ToolFailure(kind, message, { isUncertain, isForeign: true, cause: this });
  }
}
