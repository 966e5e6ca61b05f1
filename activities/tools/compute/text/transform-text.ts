import { createHash } from 'node:crypto';
import slugify from '@sindresorhus/slugify';
import { camelCase, constantCase, kebabCase, pascalCase, snakeCase } from 'change-case';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { decodeHTML, escapeUTF8 } from 'entities';
import type { RE2JS } from 're2js';
import { readText } from '../../../core/texts/read-text.ts';
import type { TextAction, TextJob } from '../job.ts';
import { compilePattern } from './search-texts.ts';

const DIFF_MS = 10_000;
const MAX_MATCHES = 10_000;
/** Characters of all matches that are returned, with their groups. */
const MAX_CHARACTERS = 1_000_000;

/** Runs each action, with the bytes and with their text. */
const ACTIONS: Readonly<Record<TextAction, (job: TextJob, bytes: Buffer, text: string) => unknown>> = {
  match: ({ pattern = '' }, _, text) => matchesOf(text, compilePattern(pattern)),
  replace: ({ pattern = '', replacement = '' }, _, text) =>
    compilePattern(pattern).matcher(text).replaceAll(replacement),
  split: ({ pattern = '' }, _, text) => compilePattern(pattern).split(text, -1),
  diff: ({ other = '' }, _, text) => compareTexts(text, other),
  case: ({ algorithm = '' }, _, text) => changeCase(text, algorithm),
  hash: ({ algorithm = '' }, bytes) => createHash(algorithm).update(bytes).digest('hex'),
  encode: ({ algorithm = '' }, bytes, text) => encodeText(algorithm, bytes, text),
  decode: ({ algorithm = '' }, _, text) => decodeFrom(algorithm, text),
  count: (_, __, text) => countText(text),
};

/** Transforms a text; returns another text, or the matches in it. Throws the issue with the input. */
export async function transformText(job: TextJob): Promise<unknown> {
  const bytes = Buffer.from(job.content, 'base64');
  return ACTIONS[job.action](job, bytes, readText(bytes).text);
}

function compareTexts(text: string, other: string): string {
  if (text === other) return 'The texts are equal.';
  const options = { context: 3, timeout: DIFF_MS, headerOptions: FILE_HEADERS_ONLY };
  const patch = createTwoFilesPatch('text', 'other', text, other, undefined, undefined, options);
  if (patch === undefined) throw new Error('The texts differ too much to be compared line by line');
  return patch;
}

/** A match: its text, or its text with those of its groups by their names or numbers. */
type Match = string | { readonly match: string; readonly groups: Readonly<Record<string, string | null>> };

function matchesOf(text: string, pattern: RE2JS): { matches: Match[]; isCut: boolean } {
  const matcher = pattern.matcher(text);
  const matches: Match[] = [];
  const names = groupNames(pattern);
  let room = MAX_CHARACTERS;
  while (matcher.find()) {
    const groups = names.map((name, index): [string, string | null] => [name, matcher.group(index + 1) ?? null]);
    const match = matcher.group() ?? '';
    room -= match.length + groups.reduce((sum, [name, group]) => sum + name.length + (group?.length ?? 0), 0);
    if (matches.length === MAX_MATCHES || room < 0) return { matches, isCut: true };
    matches.push(names.length === 0 ? match : { match, groups: Object.fromEntries(groups) });
  }
  return { matches, isCut: false };
}

function groupNames(pattern: RE2JS): string[] {
  const byNumber = new Map(Object.entries(pattern.namedGroups()).map(([name, number]) => [number, name]));
  return Array.from({ length: pattern.groupCount() }, (_, index) => byNumber.get(index + 1) ?? String(index + 1));
}

/** Encodes bytes, or their text for `url` and `html`. */
function encodeText(encoding: string, bytes: Buffer, text: string): string {
  if (encoding === 'url') return encodeURIComponent(text);
  if (encoding === 'html') return escapeUTF8(text);
  return bytes.toString(encoding === 'base64url' || encoding === 'hex' ? encoding : 'base64');
}

/** Decodes a text; throws when it is not so encoded, and when what comes out is no text. */
function decodeFrom(encoding: string, text: string): string {
  if (encoding === 'html') return decodeHTML(text);
  if (encoding === 'url') return decodeUrl(text);
  const given = text.replaceAll(/\s/g, '');
  const isEncoded = encoding === 'hex' ? /^(?:[0-9a-f]{2})*$/i.test(given) : /^[\w+/-]*={0,2}$/.test(given);
  if (!isEncoded) throw new Error(`The text is not ${encoding}`);
  const bytes = Buffer.from(given, encoding === 'hex' ? 'hex' : 'base64');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new Error(`What comes out is no text but ${bytes.length} other bytes`, { cause: error });
  }
}

function decodeUrl(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    throw new Error('The text is not encoded for URLs: a % begins two hexadecimal digits, of UTF-8', { cause: error });
  }
}

const WORD = /\p{L}[\p{L}\p{M}\p{N}'’]*/gu;
const SENTENCE_START = /(?:^|[.!?]\s)\P{L}{0,9}\p{L}/gmu;

const WAYS: Readonly<Record<string, (line: string) => string>> = {
  upper: (line) => line.toUpperCase(),
  lower: (line) => line.toLowerCase(),
  title: (line) => line.replace(WORD, capitalize),
  sentence: (line) => line.toLowerCase().replace(SENTENCE_START, (start) => start.toUpperCase()),
  camel: (line) => camelCase(line),
  pascal: (line) => pascalCase(line),
  snake: (line) => snakeCase(line),
  kebab: (line) => kebabCase(line),
  constant: (line) => constantCase(line),
  slug: (line) => slugify(line, { decamelize: false }),
};

/** Rewrites a text in a case such as `title` or `snake`, or as a slug, line by line. */
export function changeCase(text: string, way: string): string {
  const change = WAYS[way] ?? String;
  return text
    .split('\n')
    .map((line) => change(line))
    .join('\n');
}

function capitalize(word: string): string {
  const [first = '', ...rest] = word;
  return first.toUpperCase() + rest.join('').toLowerCase();
}

/**
 * The tokenizer takes time in proportion to the square of a run without blanks, so texts are cut after so many
 * characters.
 */
const MAX_CHUNK = 1_000;

interface TextCounts {
  readonly bytes: number;
  readonly characters: number;
  readonly words: number;
  readonly lines: number;
  readonly tokens: number;
}

/** Counts what is in a text. Words are those of its language, tokens those of the encoding o200k_base. */
export async function countText(text: string): Promise<TextCounts> {
  // 2 MB, which other jobs do without.
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  const options = { disallowedSpecial: new Set<string>() };
  let tokens = 0;
  for (const chunk of chunksOf(text)) tokens += countTokens(chunk, options);
  return {
    bytes: Buffer.byteLength(text),
    characters: charactersIn(text),
    words: wordsIn(text),
    lines: text === '' ? 0 : text.replace(/\n$/, '').split('\n').length,
    tokens,
  };
}

function charactersIn(text: string): number {
  let characters = 0;
  // Pairs of surrogates are one character.
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) characters += 1;
  return characters;
}

function wordsIn(text: string): number {
  let words = 0;
  for (const { isWordLike } of new Intl.Segmenter('en', { granularity: 'word' }).segment(text))
    words += isWordLike === true ? 1 : 0;
  return words;
}

// Cut before a blank that follows a word, where tokens begin anyway; elsewhere only in very long runs.
function* chunksOf(text: string): Generator<string, void, undefined> {
  let start = 0;
  while (start < text.length) {
    const end = text.length - start <= MAX_CHUNK ? text.length : cutBetween(text, start, start + MAX_CHUNK);
    yield text.slice(start, end);
    start = end;
  }
}

function cutBetween(text: string, start: number, end: number): number {
  for (let at = end; at > start + 1; at -= 1) {
    if (text[at] === ' ' && !isBlank(text[at - 1]) && !isBlank(text[at + 1])) return at;
  }
  // Not within a pair of surrogates.
  return (text.codePointAt(end - 1) ?? 0) > 0xffff ? end - 1 : end;
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\n' || character === '\t' || character === '\r';
}
