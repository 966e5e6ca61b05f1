import { cut } from './core/text.ts';

/** A part of a document's text that is found by itself. */
export interface Passage {
  /** The headings above it, the outermost first; empty where there are none. */
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

/** Where a long paragraph may be cut, in order of preference: after a sentence, a line, a word. */
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
  /** Whether it contains more than headings. */
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
    for (const range of rangesOf(this.#text, from, end)) this.#passages.push({ heading, ...range });
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
    for (const range of rangesOf(this.#text, start, end)) this.#passages.push({ heading, ...range });
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
function* rangesOf(text: string, from: number, end: number): Generator<Range> {
  let start = from;
  while (end - start > LONGEST) {
    const at = start + endOfRange(cut(text.slice(start, start + LONGEST + 1), LONGEST));
    yield { start, end: at };
    start = at;
  }
  if (end > start) yield { start, end };
}

// In the second half, so that no range is short.
function endOfRange(room: string): number {
  for (const pattern of ENDS) {
    let last = 0;
    for (const { 0: found, index } of room.matchAll(pattern)) last = index + found.length;
    if (last > room.length / 2) return last;
  }
  return room.length;
}

/** A part of a text that is kept together: a heading, or lines without an empty one between them. */
interface Block {
  /** Where it begins and ends in the text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** Of a heading, 1 to 6; 0 of everything else. */
  readonly level: number;
}

const HEADING = /^ {0,3}(#{1,6})[ \t]+\S/;
const FENCE = /^ {0,3}(```|~~~)/;

/** Yields the headings (Markdown's) and paragraphs of a text. What is fenced as code has no headings. */
function* blocksOf(text: string): Generator<Block> {
  let paragraph: { start: number; end: number } | undefined;
  let fence: string | undefined;
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = lineEnd(text, start);
    const line = text.slice(start, end);
    fence = fenceAfter(line, fence);
    const level = fence === undefined ? levelOf(line) : 0;
    const isText = level === 0 && line.trim() !== '';
    if (isText) {
      paragraph = { start: paragraph?.start ?? start, end };
      continue;
    }
    if (paragraph !== undefined) yield { ...paragraph, level: 0 };
    paragraph = undefined;
    if (level > 0) yield { start, end, level };
  }
  if (paragraph !== undefined) yield { ...paragraph, level: 0 };
}

function lineEnd(text: string, start: number): number {
  const at = text.indexOf('\n', start);
  return at === -1 ? text.length : at + 1;
}

// Code ends with the mark that it began with.
function fenceAfter(line: string, fence: string | undefined): string | undefined {
  const mark = FENCE.exec(line)?.[1];
  if (fence === undefined) return mark;
  return mark === fence ? undefined : fence;
}

function levelOf(line: string): number {
  return HEADING.exec(line)?.[1]?.length ?? 0;
}

/** A word in more than this share of the passages does not distinguish them. */
const COMMON = 0.3;

/** A word in at most this many passages is never common, since reading them all costs little. */
const FEW = 100;

/** Returns the weight of each word by how many of so many passages contain it: rare words count more. */
export function weightsOf(counts: readonly number[], total: number): readonly number[] {
  return counts.map((count) => Math.log(1 + (total - count + 0.5) / (count + 0.5)));
}

/**
 * Returns the indices of the words to search passages by, the rarest first: all that are not common, and the rarest one
 * in any case.
 */
export function selectiveWords(counts: readonly number[], total: number): readonly number[] {
  const byCount = counts.map((count, index) => ({ count, index })).toSorted((a, b) => a.count - b.count);
  const found = byCount.findIndex(({ count }) => count > 0);
  const most = Math.max(FEW, total * COMMON);
  return byCount.filter(({ count }, index) => index === found || count <= most).map(({ index }) => index);
}

/** Returns how well a passage answers, by the rank that each word has in it and the weights of the words. */
export function scoreOf(ranks: readonly number[], weights: readonly number[]): number {
  return ranks.reduce((score, rank, index) => score + rank * (weights[index] ?? 0), 0);
}

/** Keeps the top ranks of one list from outweighing all others: the usual constant of reciprocal rank fusion. */
const SMOOTHING = 60;

/** A result of several searches, and its score. */
interface Merged<T> {
  readonly item: T;
  readonly score: number;
  /** The lists that contain it. */
  readonly lists: readonly number[];
}

/**
 * Merges lists that have the best first into one, the best first: an item ranked high in several precedes one ranked
 * high in one. `keyOf` identifies items. Only ranks count, since scores of different searches cannot be compared
 * (reciprocal rank fusion).
 */
export function mergeRanks<T>(lists: readonly (readonly T[])[], keyOf: (item: T) => string): readonly Merged<T>[] {
  const merged = new Map<string, Merged<T>>();
  for (const [list, items] of lists.entries()) {
    for (const [index, item] of items.entries()) {
      const key = keyOf(item);
      const known = merged.get(key) ?? { item, score: 0, lists: [] };
      const score = known.score + 1 / (SMOOTHING + index + 1);
      merged.set(key, { item: known.item, score, lists: [...known.lists, list] });
    }
  }
  return [...merged.entries()]
    .toSorted(([a, one], [b, two]) => two.score - one.score || (a < b ? -1 : 1))
    .map(([, each]) => each);
}
