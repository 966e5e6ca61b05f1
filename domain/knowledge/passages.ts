import { cut } from '../core/text.ts';
import { blocksOf } from './blocks.ts';

/** A part of a document's text that is found by itself. */
export interface Passage {
  /** The headings that it stands under, the outermost first; empty where there are none. */
  readonly heading: string;
  /** Where it begins and ends in the text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

/** A passage ends before the paragraph that would make it longer. */
const WANTED = 1_200;
/** No passage is longer: a paragraph that is gets cut. */
const LONGEST = 1_600;
/** A heading ends no passage that is shorter, so that a text of headings makes no more passages than one of words. */
const SHORTEST = 200;
const MAX_HEADING = 300;

/** Where a long paragraph may be cut, the best place first: behind a sentence, a line, a word. */
const ENDS = [/[.!?…]["'»”’)\]]?\s|[。！？]/gu, /\n/gu, /\s/gu];

/**
 * Cuts a text into passages: at its headings where it has some, else between paragraphs, and long paragraphs between
 * sentences. They cover the text in its order, without overlap.
 */
export function cutPassages(text: string): readonly Passage[] {
  const cutter = new PassageCutter(text);
  for (const block of blocksOf(text)) {
    if (block.level > 0) cutter.addHeading(block, block.level);
    else cutter.addParagraph(block);
  }
  return cutter.end();
}

interface OpenPassage {
  heading: string;
  readonly start: number;
  end: number;
  /** Whether it holds more than headings. */
  hasText: boolean;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

class PassageCutter {
  readonly #text: string;
  readonly #passages: Passage[] = [];
  /** By level, from 1. */
  readonly #headings: string[] = [];
  #open: OpenPassage | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  addHeading({ start, end }: Range, level: number): void {
    const open = this.#open;
    const length = open === undefined ? 0 : open.end - open.start;
    if ((open?.hasText === true && length >= SHORTEST) || length > LONGEST) this.#close();
    this.#headings.length = level - 1;
    this.#headings[level - 1] = titleOf(this.#text.slice(start, end));
    this.#extend({ start, end }, false);
  }

  addParagraph({ start, end }: Range): void {
    if (this.#open?.hasText === true && end - this.#open.start > WANTED) this.#close();
    if (end - (this.#open?.start ?? start) <= LONGEST) {
      this.#extend({ start, end }, true);
      return;
    }
    const { heading, start: from } = this.#open ?? { heading: this.#heading(), start };
    this.#open = undefined;
    for (const piece of piecesOf(this.#text, from, end)) this.#passages.push({ heading, ...piece });
  }

  end(): readonly Passage[] {
    this.#close();
    return this.#passages;
  }

  #extend({ start, end }: Range, hasText: boolean): void {
    if (this.#open === undefined) {
      this.#open = { heading: this.#heading(), start, end, hasText };
      return;
    }
    if (!this.#open.hasText) this.#open.heading = this.#heading();
    this.#open.hasText ||= hasText;
    this.#open.end = end;
  }

  #close(): void {
    if (this.#open === undefined) return;
    const { heading, start, end } = this.#open;
    for (const piece of piecesOf(this.#text, start, end)) this.#passages.push({ heading, ...piece });
    this.#open = undefined;
  }

  #heading(): string {
    return cut(this.#headings.filter((title) => title !== undefined && title !== '').join(' > '), MAX_HEADING);
  }
}

function titleOf(line: string): string {
  const title = line.trim().replace(/^#+\s*/, '');
  let end = title.length;
  while (title[end - 1] === '#') end -= 1;
  // Marks at the end close a heading only behind a blank: "C#" keeps its own.
  return end === 0 || /\s/.test(title[end - 1] ?? '') ? title.slice(0, end).trim() : title;
}

// Each has at most `LONGEST` units, and no surrogate pair is broken.
function* piecesOf(text: string, from: number, end: number): Generator<Range> {
  let start = from;
  while (end - start > LONGEST) {
    const at = start + endOfPiece(cut(text.slice(start, start + LONGEST + 1), LONGEST));
    yield { start, end: at };
    start = at;
  }
  if (end > start) yield { start, end };
}

// In the second half, so that no piece is short.
function endOfPiece(room: string): number {
  for (const places of ENDS) {
    let last = 0;
    for (const { 0: found, index } of room.matchAll(places)) last = index + found.length;
    if (last > room.length / 2) return last;
  }
  return room.length;
}
