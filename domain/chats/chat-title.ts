import { cut, toShowable } from '../core/text.ts';

/** The title of a chat that was given none, until its first message is stored. */
export const UNTITLED = 'New Chat';

const MAX_CHARACTERS = 80;

/** Returns the title that a chat without one gets from its first message: the beginning of its first line. */
export function titleFrom(message: string): string {
  const line = message.trimStart().split('\n', 1)[0] ?? '';
  return cut(toShowable(line).trim(), MAX_CHARACTERS).trim() || UNTITLED;
}
