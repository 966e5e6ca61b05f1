import type { Phrase } from './search-query.ts';
import { type Word, wordsIn } from './words.ts';

/** The beginning of a message, in characters, within which an excerpt is looked for. */
export const EXCERPT_SOURCE_LENGTH = 20_000;

const EXCERPT_LENGTH = 240;
/** The most that is shown before the first mark. */
const LEAD_LENGTH = 60;
/** Places beyond these are not compared with each other. */
const MAX_PLACES = 500;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Returns the part of a text that holds most of what was searched for, as HTML: the text escaped, what was found
 * between `<mark>` and `</mark>`. It is the beginning of the text where nothing is found in it.
 */
export function excerptOf(text: string, phrases: readonly Phrase[]): string {
  const source = text.slice(0, EXCERPT_SOURCE_LENGTH);
  const found = places(source, phrases);
  const from = beginOf(source, bestPlace(found)?.start ?? 0);
  const to = endOf(source, from + EXCERPT_LENGTH);
  const body = markedUp(
    source.slice(from, to),
    found
      .filter(({ start, end }) => start >= from && end <= to)
      .map(({ start, end }) => ({ start: start - from, end: end - from })),
  );
  return `${from > 0 ? '…' : ''}${body}${to < text.trimEnd().length ? '…' : ''}`;
}

function places(source: string, phrases: readonly Phrase[]): Word[] {
  const whole = new Set(phrases.flatMap(({ words }) => words));
  const beginnings = phrases.flatMap(({ words, isPrefix }) => (isPrefix ? words.slice(-1) : []));
  const found: Word[] = [];
  for (const word of wordsIn(source)) {
    const isFound = whole.has(word.text) || beginnings.some((beginning) => word.text.startsWith(beginning));
    if (isFound) found.push(word);
    if (found.length === MAX_PLACES) break;
  }
  return found;
}

// The place from which most different words are near.
function bestPlace(found: readonly Word[]): Word | undefined {
  let best: Word | undefined;
  let most = 0;
  for (const [index, place] of found.entries()) {
    const near = new Set<string>();
    for (let next = index; next < found.length; next += 1) {
      const other = found[next];
      if (other === undefined || other.end > place.start + EXCERPT_LENGTH - LEAD_LENGTH) break;
      near.add(other.text);
    }
    if (near.size > most) {
      best = place;
      most = near.size;
    }
  }
  return best;
}

function beginOf(source: string, place: number): number {
  if (place <= LEAD_LENGTH) return 0;
  const lead = source.slice(place - LEAD_LENGTH, place);
  const blank = lead.search(/\s/u);
  return blank === -1 ? place : place - LEAD_LENGTH + blank + 1;
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
