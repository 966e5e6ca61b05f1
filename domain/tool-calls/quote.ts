import { toStorableText } from '../core/text.ts';

const MAX_QUOTED_CHARACTERS = 200;

/** `text` in one line and cut, for a sentence that says what is wrong with it. */
export function quote(text: string): string {
  const line = text.slice(0, MAX_QUOTED_CHARACTERS).replaceAll(/\s+/g, ' ').trim();
  return toStorableText(text.length > MAX_QUOTED_CHARACTERS ? `${line} …` : line);
}
