import { Lexer, type Token, type Tokens } from 'marked';
import { FORMULAS } from './formulas.ts';

/** A block of a text: what marked has found, or text that is shown as it is. */
export type Block = Token | PlainBlock;

/** Text that is not read as Markdown, because reading or showing it would take too long. */
export interface PlainBlock {
  readonly type: 'plain';
  readonly raw: string;
}

/** With three blocks that may still change, reading chunk by chunk finds what reading the whole does. */
const OPEN_BLOCKS = 3;
/** What is read again with each chunk; a longer block ends there, and another one goes on. Code is read in no time. */
const MAX_OPEN_CHARACTERS = 10_000;
/** How long reading the open blocks may take, and all slow readings of one text together, in milliseconds. */
const SLOW_MS = 50;
const MAX_SLOW_MS = 400;
/** What is read in one go; a longer text is read in chunks, each of which may turn out to be slow. */
const MAX_WHOLE_CHARACTERS = 10_000;
const CHUNK_CHARACTERS = 2_500;
/** How many parts (blocks, items, cells, marks) are shown as such; a browser is slow with many more elements. */
const MAX_PARTS = 10_000;

interface TokenWithParts {
  readonly tokens?: readonly Token[];
  readonly items?: readonly Token[];
  readonly header?: readonly Tokens.TableCell[];
  readonly rows?: readonly (readonly Tokens.TableCell[])[];
}
type Links = Lexer['tokens']['links'];

/**
 * The blocks of a text that grows. Only the last blocks are read again when a chunk is added, so that a chunk costs the
 * same however long the text is.
 */
export class GrowingBlocks {
  readonly #now: () => number;
  #text = '';
  // The blocks before `#openAt` do not change any more.
  #closed: Block[] = [];
  #closedParts = 0;
  #openAt = 0;
  #blocks: readonly Block[] = [];
  #links: Links = {};
  #slowMs = 0;
  // A busy machine makes one reading slow, a hostile text the next one, too.
  #wasSlow = false;

  /** @param now the time in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Returns the blocks of a text; those of the text before that are still there are the same values. */
  update(given: string): readonly Block[] {
    const text = withoutReturns(given);
    if (text === this.#text) return this.#blocks;
    if (!text.startsWith(this.#text)) this.#restart();
    // A long text is read as if it came in chunks, so that no reading takes long.
    for (let end = this.#text.length; end < text.length; end += CHUNK_CHARACTERS)
      this.#extend(text.slice(0, end + CHUNK_CHARACTERS));
    if (text === '') this.#extend('');
    return this.#blocks;
  }

  #restart(): void {
    this.#text = '';
    this.#closed = [];
    this.#closedParts = 0;
    this.#openAt = 0;
    this.#blocks = [];
    this.#links = {};
  }

  #extend(text: string): void {
    this.#text = text;
    const [closed, open] = this.#divide(text.slice(this.#openAt));
    const before = this.#blocks.slice(this.#closed.length);
    const found = [...closed, ...open].map((block, index) => keptOf(before[index], block));
    this.#close(found.slice(0, closed.length));
    this.#blocks = [...this.#closed, ...found.slice(closed.length)];
  }

  /** Returns the blocks of the open text that will not be read again, and those that will. */
  #divide(text: string): readonly [closed: readonly Block[], open: readonly Block[]] {
    if (this.#closedParts >= MAX_PARTS) return [[], plain(text)];
    const { found, isTooSlow } = this.#read(text);
    if (isTooSlow) return [found, []];
    if (text.length > MAX_OPEN_CHARACTERS && found.at(-1)?.type !== 'code') {
      const end = text.lastIndexOf('\n') + 1;
      return end === 0 ? [found, []] : [read(text.slice(0, end), this.#links), read(text.slice(end), this.#links)];
    }
    const count = closedUpTo(text, found);
    return [found.slice(0, count), found.slice(count)];
  }

  #read(open: string): { found: readonly Block[]; isTooSlow: boolean } {
    if (this.#slowMs > MAX_SLOW_MS) return { found: plain(open), isTooSlow: false };
    const begin = this.#now();
    const found = read(open, this.#links);
    const took = this.#now() - begin;
    const wasSlow = this.#wasSlow;
    this.#wasSlow = took > SLOW_MS;
    if (this.#wasSlow) this.#slowMs += took;
    return { found, isTooSlow: this.#wasSlow && wasSlow };
  }

  #close(blocks: readonly Block[]): void {
    for (const block of blocks) {
      this.#closed.push(block);
      this.#closedParts += partsOf(block);
      this.#openAt += block.raw.length;
      if (block.type === 'def') this.#links[(block as { tag: string }).tag] ??= block as Links[string];
    }
  }
}

/** Returns the blocks of a text that is whole. */
export function blocksOf(text: string): readonly Block[] {
  const blocks = new GrowingBlocks();
  return text.length > MAX_WHOLE_CHARACTERS ? blocks.update(text) : read(withoutReturns(text), {});
}

// Nearly no text has any, and it is asked of the whole text with each chunk.
function withoutReturns(text: string): string {
  return text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;
}

function read(text: string, links: Links): readonly Block[] {
  try {
    const lexer = new Lexer({ gfm: true, extensions: FORMULAS });
    lexer.tokens.links = { ...links };
    const tokens: Block[] = lexer.lex(text);
    const found = tokens.reduce((length, { raw }) => length + raw.length, 0);
    // What was not found again could not be placed.
    return found === text.length ? tokens : plain(text);
  } catch {
    // Some thousand blocks within each other are deeper than the stack.
    return plain(text);
  }
}

function plain(text: string): readonly Block[] {
  return text === '' ? [] : [{ type: 'plain', raw: text }];
}

// Returns how many blocks will not change any more. marked gives white space back in other places in rare cases: the
// next block would begin elsewhere then.
function closedUpTo(text: string, blocks: readonly Block[]): number {
  const indexes = blocks.flatMap(({ type }, index) => (type === 'space' ? [] : [index]));
  const end = indexes.at(-OPEN_BLOCKS) ?? 0;
  let at = 0;
  for (const [index, { raw }] of blocks.slice(0, end).entries()) {
    if (!text.startsWith(raw, at)) return index;
    at += raw.length;
  }
  return end;
}

// Returns how many tokens a block is made of. Blocks within each other may be deeper than the stack.
function partsOf(block: Block): number {
  const left: Block[] = [block];
  let count = 0;
  for (let token = left.pop(); token !== undefined; token = left.pop()) {
    const { tokens = [], items = [], header = [], rows = [] } = token as TokenWithParts;
    for (const part of tokens) left.push(part);
    for (const item of items) left.push(item);
    for (const cell of [header, ...rows].flat()) for (const part of cell.tokens) left.push(part);
    count += 1;
  }
  return count;
}

// The same characters may have been read as something else before.
function keptOf(before: Block | undefined, block: Block): Block {
  return before?.raw === block.raw && JSON.stringify(before) === JSON.stringify(block) ? before : block;
}
