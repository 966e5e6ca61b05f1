import { firstLine } from '../core/texts/first-line.ts';

/** The title of a chat that was given none, until its first message is stored. */
export const UNTITLED = 'New Chat';

const MAX_CHARACTERS = 80;

/** Returns the title that a chat without one gets from its first message: the beginning of its first line. */
export function titleFrom(message: string): string {
  return firstLine(message, MAX_CHARACTERS) || UNTITLED;
}
