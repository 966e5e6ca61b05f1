import { Lexer, type Token } from 'marked';

/** A block of a text: what marked has found, or text that is shown as it is. */
export type Block = Token | PlainBlock;

/** Text that is not read as Markdown, because that would take too long. */
export interface PlainBlock {
  readonly type: 'plain';
  readonly raw: string;
}

/** With three blocks that may still change, reading piece by piece finds what reading the whole does. */
const OPEN_BLOCKS = 3;
/** What is read of one block; a longer one is shown as it is. */
const MAX_OPEN_CHARACTERS = 20_000;
/** How long reading the open blocks may take, and all slow readings of one text together, in milliseconds. */
const SLOW_MS = 50;
const MAX_SLOW_MS = 400;
const PIECE = 10_000;

type Links = Lexer['tokens']['links'];

/**
 * The blocks of a text that grows. Only the last blocks are read again when a piece is added, so that a piece costs the
 * same however long the text is.
 */
export class GrowingBlocks {
  readonly #now: () => number;
  #text = '';
  // The blocks before `#openAt` do not change any more.
  #closed: Block[] = [];
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
    const text = given.replaceAll(/\r\n?/g, '\n');
    if (text === this.#text) return this.#blocks;
    if (!text.startsWith(this.#text)) this.#restart();
    // A long text is read as if it came in pieces, so that no reading takes long.
    for (let end = this.#text.length; end < text.length; end += PIECE) this.#extend(text.slice(0, end + PIECE));
    if (text === '') this.#extend('');
    return this.#blocks;
  }

  #restart(): void {
    this.#text = '';
    this.#closed = [];
    this.#openAt = 0;
    this.#blocks = [];
    this.#links = {};
  }

  #extend(text: string): void {
    this.#text = text;
    const open = text.slice(this.#openAt);
    const begin = this.#now();
    const found = this.#slowMs > MAX_SLOW_MS ? plain(open) : read(open, this.#links);
    const took = this.#now() - begin;
    const isSlow = took > SLOW_MS;
    if (isSlow) this.#slowMs += took;
    const isTooLong = (isSlow && this.#wasSlow) || open.length > MAX_OPEN_CHARACTERS + PIECE;
    this.#wasSlow = isSlow;
    const closing = isTooLong ? found : found.slice(0, closedUpTo(open, found));
    this.#close(closing);
    const last = this.#blocks;
    const blocks = [...this.#closed, ...found.slice(closing.length)];
    this.#blocks = blocks.map((block, index) => (isSame(last[index], block) ? (last[index] ?? block) : block));
  }

  #close(blocks: readonly Block[]): void {
    for (const block of blocks) {
      this.#closed.push(block);
      this.#openAt += block.raw.length;
      if (block.type === 'def') this.#links[(block as { tag: string }).tag] ??= block as Links[string];
    }
  }
}

/** Returns the blocks of a text that is whole. */
export function blocksOf(text: string): readonly Block[] {
  const blocks = new GrowingBlocks();
  return text.length > MAX_OPEN_CHARACTERS ? blocks.update(text) : read(text.replaceAll(/\r\n?/g, '\n'), {});
}

function read(text: string, links: Links): readonly Block[] {
  try {
    const lexer = new Lexer({ gfm: true });
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
  const places = blocks.flatMap(({ type }, index) => (type === 'space' ? [] : [index]));
  const end = places.at(-OPEN_BLOCKS) ?? 0;
  let at = 0;
  for (const [index, { raw }] of blocks.slice(0, end).entries()) {
    if (!text.startsWith(raw, at)) return index;
    at += raw.length;
  }
  return end;
}

// The same characters may have been read as something else before.
function isSame(before: Block | undefined, block: Block): boolean {
  if (before === block) return true;
  return before?.raw === block.raw && JSON.stringify(before) === JSON.stringify(block);
}
