import { cut, toShowable } from '../../domain/core/text.ts';

const MAX_CHARACTERS = 200;

/** Returns the title of a document without one: the first line of its text, without the marks of a heading. */
export function titleOf(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return titleOfFile(line.replace(/^#+\s*/, ''));
}

/** Returns the title of a document without one whose text is that of a file. */
export function titleOfFile(name: string): string {
  return cut(toShowable(name).trim(), MAX_CHARACTERS) || 'Untitled';
}
