import { cut } from './text.ts';

// Controls, marks of writing direction, and other characters that show nothing, with which text can be hidden in a
// name. The two that join letters or keep them apart stay, since words of some languages are written with them.
const HIDDEN =
  /[\p{Cc}\p{Co}\p{Zl}\p{Zp}\u00AD\u0600-\u0605\u061C\u06DD\u070F\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E01EF}]/gu;

/**
 * Returns text of others as one line of at most `maxLength` characters, without what cannot be seen: it cannot break
 * out of the line that it stands in.
 */
export function plainLine(text: string, maxLength: number): string {
  // Cut before, so that a long text takes no longer; what is removed makes it shorter than it may be.
  const line = cut(text, maxLength * 4)
    .toWellFormed()
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(HIDDEN, '')
    .trim();
  return line.length > maxLength || text.length > maxLength * 4 ? `${cut(line, maxLength - 1)}…` : line;
}

/** Returns text of others as lines that each begin with two blanks, at most `maxLength` characters of it. */
export function plainLines(text: string, maxLength: number): string {
  const lines = cut(text, maxLength)
    .split('\n')
    .map((line) => plainLine(line, maxLength))
    .filter((line) => line !== '');
  const rest = text.length > maxLength ? ['…'] : [];
  return [...lines, ...rest].map((line) => `  ${line}`).join('\n');
}
