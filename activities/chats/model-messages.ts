import type { HistoryMessage } from '../../db/turns/index.ts';
import type { ModelMessage } from '../llm/index.ts';

/** Longest conversation given to a model, in characters: some 75,000 tokens, which every current model takes. */
const MAX_HISTORY_CHARACTERS = 300_000;

/** The system prompt and as much of the newest conversation as fits. The last message is always there. */
export function modelMessages(systemPrompt: string, history: readonly HistoryMessage[]): ModelMessage[] {
  const kept: HistoryMessage[] = [];
  let length = 0;
  for (const message of history.toReversed()) {
    length += message.content.length;
    if (length > MAX_HISTORY_CHARACTERS && kept.length > 0) break;
    kept.unshift(message);
  }
  // Several providers refuse a conversation that does not begin with the user.
  while (kept[0]?.role === 'assistant') kept.shift();
  return systemPrompt.trim() === '' ? kept : [{ role: 'system', content: systemPrompt }, ...kept];
}
