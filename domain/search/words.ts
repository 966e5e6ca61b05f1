import { cut } from '../core/text.ts';

/** A word of a text in the form in which it is searched, and where it stands. */
export interface Word {
  readonly text: string;
  /** Where it begins in the text, and where it ends, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

/** A longer word is cut: what is searched for is cut alike. */
const MAX_WORD_LENGTH = 64;

const RUNS = /[\p{L}\p{N}\p{M}]+/gu;
// Scripts that are written without blanks between words.
const PARTS =
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
    for (const { 0: part, index: offset, groups } of run.matchAll(PARTS)) {
      const start = index + offset;
      if (groups?.['unspaced'] === undefined) yield* wordAt(part, start);
      else yield* pairsAt(part, start);
    }
  }
}

/**
 * Returns whether a word is a single character of a script without blanks: a text holds it in pairs with its
 * neighbours.
 */
export function isUnspacedCharacter(word: string): boolean {
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
