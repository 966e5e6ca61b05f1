import { cut, isShowable, toShowable, toStorableText } from '../core/text.ts';
import { MAX_ISSUE_TEXT_CHARACTERS, MAX_LABEL_CHARACTERS, MAX_LABELS, MAX_TITLE_CHARACTERS } from '../issues/index.ts';

const MAX_NAME = 200;
const MAX_URL = 2_000;
const CUT_NOTE = '\n\n[The rest is at the code host]';

/** Returns a title as it can be stored here: one line that is not empty. */
export function cleanTitle(title: string): string {
  return cut(toShowable(toStorableText(title)), MAX_TITLE_CHARACTERS).trim() || '(no title)';
}

/** Returns a text as it can be stored here; one that is too long says that it goes on. */
export function cleanText(text: string | null | undefined): string {
  const clean = toStorableText(text ?? '');
  if (clean.length <= MAX_ISSUE_TEXT_CHARACTERS) return clean;
  return `${cut(clean, MAX_ISSUE_TEXT_CHARACTERS - CUT_NOTE.length)}${CUT_NOTE}`;
}

/** Returns labels as they can be stored here: the first so many, each once. */
export function cleanLabels(labels: readonly string[]): readonly string[] {
  const clean = labels.map((label) => cut(toShowable(toStorableText(label)), MAX_LABEL_CHARACTERS).trim());
  return [...new Set(clean.filter((label) => label !== ''))].slice(0, MAX_LABELS);
}

/** Returns the name of an account; null for one that is gone, or whose name cannot be shown. */
export function cleanName(name: string | null | undefined): string | null {
  if (name === null || name === undefined || name === '') return null;
  const clean = cut(toStorableText(name), MAX_NAME);
  return isShowable(clean) ? clean : null;
}

/** Returns an address that people can be led to, and null for any other: a host may send what runs in a browser. */
export function cleanUrl(url: string | null | undefined): string | null {
  const parsed = URL.parse(url ?? '');
  const isWeb = parsed?.protocol === 'https:' || parsed?.protocol === 'http:';
  return isWeb && parsed.href.length <= MAX_URL ? parsed.href : null;
}
