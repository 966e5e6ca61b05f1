import type { ToolFailureClass } from '../tool-failure.ts';

/** Formats the error of a call that failed or was not made, for the model. */
export function toolError(kind: ToolFailureClass, message: string): string {
  return JSON.stringify({ error: { class: kind, message: message.toWellFormed() } });
}
