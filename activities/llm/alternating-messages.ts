import type { ModelMessage } from '../../domain/transcripts/index.ts';

/** A message of an API that has user and assistant take turns. */
export interface AlternatingMessage<Block> {
  readonly role: 'user' | 'assistant';
  readonly content: readonly Block[];
}

/**
 * Turns a transcript into messages in which user and assistant alternate: what follows in the same role goes into one.
 * Instructions of the system are left out, and so is a message without a block.
 */
export function toAlternating<Block>(
  messages: readonly ModelMessage[],
  toBlocks: (message: ModelMessage) => readonly Block[],
): AlternatingMessage<Block>[] {
  const list: AlternatingMessage<Block>[] = [];
  for (const message of messages) {
    if (message.role === 'system') continue;
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const content = toBlocks(message);
    const last = list.at(-1);
    if (content.length === 0) continue;
    if (last?.role === role) list[list.length - 1] = { role, content: [...last.content, ...content] };
    else list.push({ role, content });
  }
  return list;
}

/** Returns a text as it is sent to an API that rejects one without a visible character. */
export function shownText(content: string): string {
  return content.trim() === '' ? '(empty message)' : content;
}
