import { writtenOut } from '../../domain/core/visible.ts';

// Characters without a width, and those that turn the direction of what follows: code and names that hold them are not
// what they look like. Joiners (U+200C, U+200D) are left out: emoji and some scripts are written with them.
const INVISIBLE = /[\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/gu;

/** Returns a text in which characters that cannot be seen are written out, such as `⟨U+202E⟩`. */
export function showInvisible(text: string): string {
  return text.replaceAll(INVISIBLE, writtenOut);
}
