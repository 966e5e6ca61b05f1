import type { ChatTurn } from '../connection/index.ts';

/** Fewer characters are found nearly everywhere. */
export const MIN_CHARACTERS = 2;

/** Returns the ids of the turns whose question or answer holds a text, in whatever case, oldest first. */
export function matchesIn(turns: readonly ChatTurn[], text: string): readonly string[] {
  const wanted = text.trim().toLowerCase();
  if (wanted.length < MIN_CHARACTERS) return [];
  const holds = (content: string | undefined) => content?.toLowerCase().includes(wanted) === true;
  return turns
    .filter(({ question, answer }) => holds(question?.content) || holds(answer?.content))
    .map(({ turnId }) => turnId);
}
