import type { ReactNode } from 'react';
import type { Message } from '../connection/merge-messages.ts';
import type { ChatConnection } from '../connection/chat-connection.ts';
import { useChatsText } from '../text.ts';
import { useChatView } from '../use-chat-connection.ts';
import classes from '../chats.module.css';

/** From here on it is worth saying what happens when it is full. */
const NEARLY_FULL = 80;

/** Says how much of the context window of its model the last answer took; nothing while that is not known. */
export function ContextBar({ connection }: { readonly connection: ChatConnection }): ReactNode {
  const text = useChatsText().context;
  const messages = useChatView(connection, (view) => view.messages);
  const use = contextUseOf(messages);
  if (use === undefined) return null;
  const { tokens, window, percent } = use;
  const isNearlyFull = percent >= NEARLY_FULL;
  const words = isNearlyFull ? `${text.words(tokens, window)} ${text.full}` : text.words(tokens, window);
  return (
    <span className={`faint nowrap ${classes.context}`} title={words} data-full={isNearlyFull ? '' : undefined}>
      <meter className={classes.bar} min={0} max={100} value={percent} aria-label={text.label} />
      {text.share(percent)}
      <span className="hidden">{words}</span>
    </span>
  );
}

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
