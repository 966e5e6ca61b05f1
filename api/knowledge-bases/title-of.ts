import { cut, toShowable } from '../../domain/core/text.ts';
import { firstLine } from '../../domain/core/texts/first-line.ts';

const MAX_CHARACTERS = 200;
const UNTITLED = 'Untitled';

/** Returns the title of a document without one: the first line of its text, without the marks of Markdown. */
export function titleOf(text: string): string {
  return firstLine(text, MAX_CHARACTERS) || UNTITLED;
}

/** Returns the title of a document without one whose text is that of a file. */
export function titleOfFile(name: string): string {
  return cut(toShowable(name).trim(), MAX_CHARACTERS) || UNTITLED;
}
