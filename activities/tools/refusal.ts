import type { ToolFailureClass } from './tool-failure.ts';

/** What a model is told of a call that failed or was refused. */
export function refusal(kind: ToolFailureClass, message: string): string {
  return JSON.stringify({ error: { class: kind, message: message.toWellFormed() } });
}
