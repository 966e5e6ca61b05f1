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

// Controls and line ends break lists and logs; marks of writing direction and blanks without width disguise one name as
// another.
const UNSHOWABLE = /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200B\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]/gu;

/** Returns whether a line of `text` shows as it is: it has no controls, line ends or invisible marks. */
export function isShowable(text: string): boolean {
  return text.search(UNSHOWABLE) === -1;
}

/** Returns one line of text in which blanks replace unshowable characters. */
export function toShowable(text: string): string {
  return text.replaceAll(UNSHOWABLE, ' ');
}

/** Makes a schema for a display name: one line, which is not blank unless `minLength` is 0. */
export function nameText(maxLength = 200, minLength = 1) {
  return text(maxLength).trim().min(minLength).refine(isShowable, 'must not contain control characters or line ends');
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
  return storedJson(z.record(z.string(), z.unknown()));
}

/** Returns a schema of JSON that leaves names open, limited to what can be stored and to 64 KiB. */
export function storedJson<S extends z.ZodType>(schema: S): S {
  return schema
    .refine((value) => isStorableJson(value), {
      error: 'must be storable text nested at most 20 levels',
      abort: true,
    })
    .refine((value) => JSON.stringify(value).length <= 65_536, 'must not exceed 64 KiB');
}

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

// One visible character, such as a family of emoji, may consist of many.
function cutShown(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const begin = text.slice(0, 2 * maxLength);
  const end = CHARACTERS.segment(begin).containing(maxLength)?.index ?? maxLength;
  return cut(begin, end === 0 ? maxLength : end).trim();
}

// Controls, marks of writing direction, and other characters that show nothing, with which text can be hidden in a
// name. The two that join letters or keep them apart stay, since words of some languages are written with them.
const HIDDEN =
  /[\p{Cc}\p{Co}\p{Zl}\p{Zp}\u00AD\u0600-\u0605\u061C\u06DD\u070F\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E01EF}]/gu;

/**
 * Returns text of others as one line of at most `maxLength` characters, without what cannot be seen: it cannot break
 * out of its line.
 */
export function plainLine(text: string, maxLength: number): string {
  // Cut before, so that a long text takes no longer; what is removed makes it shorter than it may be.
  const line = cut(text, maxLength * 4)
    .toWellFormed()
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(HIDDEN, '')
    .trim();
  return line.length > maxLength || text.length > maxLength * 4 ? `${cut(line, maxLength - 1)}…` : line;
}

/** Returns text of others as lines that each begin with two blanks, at most `maxLength` characters of it. */
export function plainLines(text: string, maxLength: number): string {
  const lines = cut(text, maxLength)
    .split('\n')
    .map((line) => plainLine(line, maxLength))
    .filter((line) => line !== '');
  const rest = text.length > maxLength ? ['…'] : [];
  return [...lines, ...rest].map((line) => `  ${line}`).join('\n');
}

const UNITS = [
  [1024 ** 3, 'GB'],
  [1024 ** 2, 'MB'],
  [1024, 'KB'],
] as const;

/** Formats a number of bytes in the largest unit that divides it: "512 KB". */
export function formatBytes(bytes: number): string {
  const [size, unit] = UNITS.find(([each]) => bytes >= each && bytes % each === 0) ?? [1, 'bytes'];
  return `${(bytes / size).toLocaleString('en')} ${unit}`;
}

/** The most chunks that are buffered separately; further ones are joined. */
const MAX_CHUNKS = 512;

/**
 * A text that arrives in chunks. Strings that are added to each other are kept as a tree of all their parts, thirty
 * times as large as the text when the parts are single characters; here the parts are joined every now and then.
 */
export class TextBuffer {
  #joined = '';
  #chunks: string[] = [];
  #length = 0;

  /** Characters so far. */
  get length(): number {
    return this.#length;
  }

  /** The text so far. */
  get text(): string {
    this.#join();
    return this.#joined;
  }

  add(chunk: string): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#chunks.length >= MAX_CHUNKS) this.#join();
  }

  #join(): void {
    if (this.#chunks.length === 0) return;
    this.#joined += this.#chunks.join('');
    this.#chunks = [];
  }
}

/** Decodes a part of a URL; returns an empty text, which names nothing, for one that cannot be decoded. */
export function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const UNESCAPED = new Map(Object.entries(ENTITIES).map(([character, entity]) => [entity, character]));

/** Escapes a text for HTML, between tags and in attributes in double quotes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

/** Returns the text that `escapeHtml` has escaped. */
export function unescapeHtml(html: string): string {
  return html.replaceAll(/&(?:amp|lt|gt|quot);/g, (entity) => UNESCAPED.get(entity) ?? entity);
}
