import { cut } from './core/text.ts';

/** Consecutive words that a text must contain; most often a single one. */
export interface Phrase {
  readonly words: readonly string[];
  /** Whether the last word is a prefix. */
  readonly isPrefix: boolean;
}

/** Words of a query beyond these are left out. */
const MAX_WORDS = 20;

const QUERY_PARTS = /"(?<quoted>[^"]*)"|[^\s"]+/gu;

/** Returns whether a query says enough: two characters, or one of a script in which a character may be a word. */
export function isLongEnough(query: string): boolean {
  const words = query.trim();
  return words.length >= 2 || isUnspacedCharacter(words);
}

/**
 * Reads what somebody searches for: all words must be found, those in quotation marks next to each other. The last word
 * may be the beginning of one, unless it is quoted. A query without a letter or digit has no phrases.
 */
export function parseSearchQuery(query: string): Phrase[] {
  const phrases: Phrase[] = [];
  let room = MAX_WORDS;
  let isLastQuoted = false;
  for (const { 0: part, groups } of query.matchAll(QUERY_PARTS)) {
    const words = phraseOf(groups?.['quoted'] ?? part).slice(0, room);
    if (words.length === 0) continue;
    isLastQuoted = groups?.['quoted'] !== undefined;
    room -= words.length;
    phrases.push({ words, isPrefix: words.length === 1 && isUnspacedCharacter(words[0] ?? '') });
  }
  const last = phrases.pop();
  return last === undefined ? [] : [...phrases, { ...last, isPrefix: last.isPrefix || !isLastQuoted }];
}

// Of a run without blanks each pair counts; the single character at its end only where it is all there is.
function phraseOf(text: string): string[] {
  const words = [...wordsIn(text)];
  return words
    .filter(({ end, start }, index) => {
      const before = words[index - 1];
      return before === undefined || !(before.end === end && before.start < start);
    })
    .map((word) => word.text);
}

/** A word of a text in the form in which it is searched, and its position. */
interface Word {
  readonly text: string;
  /** Where it begins in the text, and where it ends, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

/** A longer word is cut: what is searched for is cut alike. */
const MAX_WORD_LENGTH = 64;

const RUNS = /[\p{L}\p{N}\p{M}]+/gu;

// Scripts that are written without blanks between words.
const WORD_PARTS =
  /(?<unspaced>[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]+)|[^\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]+/gu;
const IS_UNSPACED_CHARACTER =
  /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]$/u;
const IS_ASCII = /^[\0-\x7F]*$/u;

// Accents of European scripts, points of Hebrew, vowel signs of Arabic. Vowel signs of Indian scripts are letters.
const ACCENTS = /[\u0300-\u036F\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A\u064B-\u065F\u0670]/gu;

// Letters whose strokes and ligatures Unicode does not take apart.
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
};
const TO_SPELL_OUT = /[ßæœøłđðþħı]/gu;

/**
 * Yields the words of a text: runs of letters and digits in lower case and without accents. Scripts that have no blanks
 * yield each pair of neighbouring characters, and the last character alone, so that any part of a run can be found.
 */
export function* wordsIn(text: string): Generator<Word> {
  for (const { 0: run, index } of text.matchAll(RUNS)) {
    if (IS_ASCII.test(run)) {
      yield { text: cut(run.toLowerCase(), MAX_WORD_LENGTH), start: index, end: index + run.length };
      continue;
    }
    for (const { 0: part, index: offset, groups } of run.matchAll(WORD_PARTS)) {
      const start = index + offset;
      if (groups?.['unspaced'] === undefined) yield* wordAt(part, start);
      else yield* pairsAt(part, start);
    }
  }
}

/**
 * Returns whether a word is a single character of a script without blanks, which texts index in pairs with its
 * neighbours.
 */
function isUnspacedCharacter(word: string): boolean {
  return IS_UNSPACED_CHARACTER.test(word);
}

function* wordAt(part: string, start: number): Generator<Word> {
  const text = fold(part);
  if (text !== '') yield { text, start, end: start + part.length };
}

function* pairsAt(run: string, start: number): Generator<Word> {
  const characters = run.match(/./gsu) ?? [];
  let at = start;
  for (const [index, character] of characters.entries()) {
    const pair = character + (characters[index + 1] ?? '');
    const text = fold(pair);
    if (text !== '') yield { text, start: at, end: at + pair.length };
    at += character.length;
  }
}

function fold(part: string): string {
  const plain = part
    .toLowerCase()
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .replace(TO_SPELL_OUT, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFC');
  return cut(plain, MAX_WORD_LENGTH);
}

/** How many characters at the start of a message are searched for an excerpt. */
export const EXCERPT_SOURCE_LENGTH = 20_000;

const EXCERPT_LENGTH = 240;

/** The most that is shown before the first mark. */
const LEAD_LENGTH = 60;

/** Further matches are not compared with each other. */
const MAX_MATCHES = 500;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Returns the part of a text with the most matches of the search, as HTML: the text escaped, matches between `<mark>`
 * and `</mark>`. Without a match it is the beginning of the text.
 */
export function excerptOf(text: string, phrases: readonly Phrase[]): string {
  const source = text.slice(0, EXCERPT_SOURCE_LENGTH);
  const found = matchesIn(source, phrases);
  const from = beginOf(source, bestMatch(found)?.start ?? 0);
  const to = endOf(source, from + EXCERPT_LENGTH);
  const body = markedUp(
    source.slice(from, to),
    found
      .filter(({ start, end }) => start >= from && end <= to)
      .map(({ start, end }) => ({ start: start - from, end: end - from })),
  );
  return `${from > 0 ? '…' : ''}${body}${to < text.trimEnd().length ? '…' : ''}`;
}

function matchesIn(source: string, phrases: readonly Phrase[]): Word[] {
  const whole = new Set(phrases.flatMap(({ words }) => words));
  const beginnings = phrases.flatMap(({ words, isPrefix }) => (isPrefix ? words.slice(-1) : []));
  const found: Word[] = [];
  for (const word of wordsIn(source)) {
    const isFound = whole.has(word.text) || beginnings.some((beginning) => word.text.startsWith(beginning));
    if (isFound) found.push(word);
    if (found.length === MAX_MATCHES) break;
  }
  return found;
}

// Returns the match that has the most different words near it.
function bestMatch(found: readonly Word[]): Word | undefined {
  let best: Word | undefined;
  let most = 0;
  for (const [index, match] of found.entries()) {
    const near = new Set<string>();
    for (let next = index; next < found.length; next += 1) {
      const other = found[next];
      if (other === undefined || other.end > match.start + EXCERPT_LENGTH - LEAD_LENGTH) break;
      near.add(other.text);
    }
    if (near.size > most) {
      best = match;
      most = near.size;
    }
  }
  return best;
}

function beginOf(source: string, offset: number): number {
  if (offset <= LEAD_LENGTH) return 0;
  const lead = source.slice(offset - LEAD_LENGTH, offset);
  const blank = lead.search(/\s/u);
  return blank === -1 ? offset : offset - LEAD_LENGTH + blank + 1;
}

function endOf(source: string, wanted: number): number {
  if (wanted >= source.length) return source.trimEnd().length;
  const blanks = [...source.slice(wanted - LEAD_LENGTH, wanted + 1).matchAll(/\s/gu)];
  const last = blanks.at(-1);
  return last === undefined ? wanted : wanted - LEAD_LENGTH + last.index;
}

interface Mark {
  readonly start: number;
  readonly end: number;
}

function markedUp(text: string, marks: readonly Mark[]): string {
  let html = '';
  let at = 0;
  for (const { start, end } of merged(marks)) {
    html += `${escaped(text.slice(at, start))}<mark>${escaped(text.slice(start, end))}</mark>`;
    at = end;
  }
  return html + escaped(text.slice(at));
}

// The pairs of a run overlap.
function merged(marks: readonly Mark[]): Mark[] {
  const result: Mark[] = [];
  for (const mark of marks) {
    const before = result.at(-1);
    if (before !== undefined && mark.start < before.end) {
      result[result.length - 1] = { start: before.start, end: Math.max(before.end, mark.end) };
    } else {
      result.push(mark);
    }
  }
  return result;
}

function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/[&<>"']/gu, (character) => ENTITIES[character] ?? character);
}
