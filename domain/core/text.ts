import { z } from 'zod';

// PostgreSQL stores neither NUL nor half a surrogate pair in text and jsonb.
const NUL = '\u0000';
const REPLACEMENT = '\uFFFD';
const HIGH_SURROGATE = 0xd8_00;

/** Returns whether PostgreSQL can store `text` as it is. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes(NUL);
}

/** `text` with everything PostgreSQL refuses replaced by U+FFFD; for what models and tools produce. */
export function toStorableText(text: string): string {
  return text.toWellFormed().replaceAll(NUL, REPLACEMENT);
}

/** Returns the beginning of `text`, of at most `maxLength` characters; a pair of surrogates is not broken. */
export function cut(text: string, maxLength: number): string {
  const isBroken = text.length > maxLength && text.charCodeAt(maxLength - 1) >> 10 === HIGH_SURROGATE >> 10;
  return text.slice(0, isBroken ? maxLength - 1 : maxLength);
}

/** Makes a schema for text that a caller sends. Text that cannot be stored is rejected, not repaired. */
export function text(maxLength: number) {
  const error = 'must not contain NUL or unpaired surrogates';
  // Ends the checks, so that a name with NUL has one issue.
  return z.string().max(maxLength).refine(isStorableText, { error, abort: true });
}

// Controls and line ends break lists and logs; marks of writing direction and blanks without width make a name look
// like another one.
const UNSHOWABLE = /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200B\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]/gu;

/** Returns whether a line of `text` shows as it is: it has no controls, line ends or invisible marks. */
export function isShowable(text: string): boolean {
  return text.search(UNSHOWABLE) === -1;
}

/** Returns one line of text in which blanks stand for what does not show as it is. */
export function toShowable(text: string): string {
  return text.replaceAll(UNSHOWABLE, ' ');
}

/** Makes a schema for a display name: one line of 1 to `maxLength` characters that is not blank. */
export function nameText(maxLength = 200) {
  return text(maxLength).trim().min(1).refine(isShowable, 'must not contain control characters or line ends');
}

/**
 * Returns whether PostgreSQL can store a JSON value: its strings and keys are storable, and it nests at most `maxDepth`
 * deep.
 */
export function isStorableJson(value: unknown, maxDepth = 20): boolean {
  if (maxDepth < 0) return false;
  if (typeof value === 'string') return isStorableText(value);
  if (Array.isArray(value)) return value.every((item) => isStorableJson(item, maxDepth - 1));
  if (value === null || typeof value !== 'object') return true;
  return Object.entries(value).every(
    ([key, item]) => key !== '__proto__' && isStorableText(key) && isStorableJson(item, maxDepth - 1),
  );
}

/** Makes a schema for a free-form JSON object of at most 64 KiB. */
export function jsonObject() {
  return z
    .record(z.string(), z.unknown())
    .refine((value) => isStorableJson(value), {
      error: 'must hold storable text and nest at most 20 levels',
      abort: true,
    })
    .refine((value) => JSON.stringify(value).length <= 65_536, 'must not exceed 64 KiB');
}
