// Characters without a width, and those that turn the direction of what follows: code and names that hold them are not
// what they look like. Joiners (U+200C, U+200D) are left out: emoji and some scripts are written with them.
const INVISIBLE = /[\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/gu;

// Whatever leaves no mark of its own, joiners and blank letters included, but for line ends, tabs, and the selector
// that makes a sign an emoji.
const HIDDEN = /(?!\uFE0F)\p{Default_Ignorable_Code_Point}|[\u2800\p{Zl}\p{Zp}\p{Cf}]|(?![\n\t])\p{Cc}/gu;

/** Returns a text in which characters that cannot be seen are written out, such as `⟨U+202E⟩`. */
export function showInvisible(text: string): string {
  return text.replaceAll(INVISIBLE, written);
}

/**
 * Returns a text that somebody decides about, in which every character that cannot be seen is written out. It costs
 * some emoji and scripts their joiners.
 */
export function showHidden(text: string): string {
  return text.replaceAll(HIDDEN, written);
}

function written(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `⟨U+${code}⟩`;
}
