import { cut, toShowable } from '../../domain/core/text.ts';

/** Returns the title of a document without one: the first line of its text, without the marks of a heading. */
export function titleOf(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return cut(toShowable(line.replace(/^#+\s*/, '')).trim(), 200) || 'Untitled';
}
