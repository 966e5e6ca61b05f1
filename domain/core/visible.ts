// Whatever leaves no mark of its own, joiners and blank letters included, but for line ends, tabs, and the selector
// that makes a sign an emoji.
const HIDDEN = /(?!\uFE0F)\p{Default_Ignorable_Code_Point}|[\u2800\p{Zl}\p{Zp}\p{Cf}]|(?![\n\t])\p{Cc}/gu;

/**
 * Returns a text that somebody decides about, in which every character that cannot be seen is written out, such as
 * `⟨U+202E⟩`. It costs some emoji and scripts their joiners.
 */
export function showHidden(text: string): string {
  return text.replaceAll(HIDDEN, writtenOut);
}

/** Returns a character as its number, for one that cannot be seen. */
export function writtenOut(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `⟨U+${code}⟩`;
}
