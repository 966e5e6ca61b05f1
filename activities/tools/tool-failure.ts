/** Classes of failure that a model can react to (reference: rules that hold for every tool). */
export type ToolFailureClass = 'invalid_input' | 'not_found' | 'denied' | 'rate_limited' | 'timeout' | 'upstream';

/** A tool could not do what it was asked. The message is in words for the model and holds no secret. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
  readonly kind: ToolFailureClass;
  /** Whether it may have taken effect all the same. */
  readonly isUncertain: boolean;

  constructor(kind: ToolFailureClass, message: string, options: ErrorOptions & { isUncertain?: boolean } = {}) {
    super(message, options);
    this.kind = kind;
    this.isUncertain = options.isUncertain ?? false;
  }
}
