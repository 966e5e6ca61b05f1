import { isUnspacedCharacter, wordsIn } from './words.ts';

/** Words that must stand in a text one right after the other; most often a single one. */
export interface Phrase {
  readonly words: readonly string[];
  /** Whether the last word may go on. */
  readonly isPrefix: boolean;
}

/** Words of a query beyond these are left out. */
const MAX_WORDS = 20;
const PARTS = /"(?<quoted>[^"]*)"|[^\s"]+/gu;

/** Returns whether a query says enough: two characters, or one of a script in which a character may be a word. */
export function isLongEnough(query: string): boolean {
  const words = query.trim();
  return words.length >= 2 || isUnspacedCharacter(words);
}

/**
 * Reads what somebody searches for: all words must be found, those in quotation marks next to each other. The last word
 * may be the beginning of one, unless it is quoted. A query without a letter or digit has no phrases.
 */
export function parseSearchQuery(query: string): Phrase[] {
  const phrases: Phrase[] = [];
  let room = MAX_WORDS;
  let isLastQuoted = false;
  for (const { 0: part, groups } of query.matchAll(PARTS)) {
    const words = phraseOf(groups?.['quoted'] ?? part).slice(0, room);
    if (words.length === 0) continue;
    isLastQuoted = groups?.['quoted'] !== undefined;
    room -= words.length;
    phrases.push({ words, isPrefix: words.length === 1 && isUnspacedCharacter(words[0] ?? '') });
  }
  const last = phrases.pop();
  return last === undefined ? [] : [...phrases, { ...last, isPrefix: last.isPrefix || !isLastQuoted }];
}

// Of a run without blanks each pair counts; the single character at its end only where it is all there is.
function phraseOf(text: string): string[] {
  const words = [...wordsIn(text)];
  return words
    .filter(({ end, start }, index) => {
      const before = words[index - 1];
      return before === undefined || !(before.end === end && before.start < start);
    })
    .map((word) => word.text);
}
