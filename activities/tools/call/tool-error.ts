import type { ToolFailureClass } from '../tool-failure.ts';

/** What a model is told of a call that failed or was not made. */
export function toolError(kind: ToolFailureClass, message: string): string {
  return JSON.stringify({ error: { class: kind, message: message.toWellFormed() } });
}
