import { cut, toShowable } from '../text.ts';

/** The beginning of a block of code, and of a heading or a quotation, in Markdown. */
const FENCE = /^\s*(?:~~~|`{3,}[^`]*$)/;
const MARKS = /^\s*(?:#{1,6}\s+|>\s?)+/;

/**
 * Returns the first line of a text that says something, without the marks of Markdown before it, of at most so many
 * characters; '' when nothing in it shows.
 */
export function firstLine(text: string, maxLength: number): string {
  // Splitting all of a long text would take memory for nothing.
  for (let from = 0; from < text.length;) {
    const end = text.indexOf('\n', from);
    const line = text.slice(from, end === -1 ? text.length : end);
    const shown = FENCE.test(line) ? '' : toShowable(line.replace(MARKS, '')).trim();
    if (shown !== '') return cutShown(shown, maxLength);
    if (end === -1) break;
    from = end + 1;
  }
  return '';
}

/** Finds what is shown as one character; to create one for each text costs more than to use it. */
const CHARACTERS = new Intl.Segmenter();

// What is shown as one character, such as a family of emoji, may be many.
function cutShown(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const begin = text.slice(0, 2 * maxLength);
  const end = CHARACTERS.segment(begin).containing(maxLength)?.index ?? maxLength;
  return cut(begin, end === 0 ? maxLength : end).trim();
}
