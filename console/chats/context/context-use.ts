import type { Message } from '../connection/index.ts';

/** How much of the context window of its model an answer took, in tokens. */
export interface ContextUse {
  readonly tokens: number;
  readonly window: number;
  /** From 0 to 100. */
  readonly percent: number;
}

/** Returns how full the context was for the newest answer that counts and says so; undefined when none does. */
export function contextUseOf(messages: readonly Message[]): ContextUse | undefined {
  const last = messages.findLast(({ role, excluded, metadata_: { context_tokens: tokens, context_window: window } }) =>
    Boolean(role === 'assistant' && !excluded && tokens && window),
  );
  const { context_tokens: tokens, context_window: window } = last?.metadata_ ?? {};
  if (!tokens || !window) return undefined;
  return { tokens, window, percent: Math.min(100, Math.round((100 * tokens) / window)) };
}
