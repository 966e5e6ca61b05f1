import { Marked, type Token, type Tokens } from 'marked';
import type { BlockSpec, BlockType, DocumentContent } from '../document-job.ts';
import type { Block, Span } from './block.ts';
import { printable, spansOf } from './to-spans.ts';

const MAX_BLOCKS = 20_000;
const MAX_CELLS = 50_000;
const MAX_COLUMNS = 30;
/** Deeper lists and quotes have no room on a page. */
const MAX_DEPTH = 8;
/** The first word after the fence of a code block. */
const LANGUAGE = /^[\w+#.-]{1,30}/;
const PAGE_BREAK = /^\s*<!--\s*page ?break\s*-->\s*$/i;

type TableBlock = Extract<Block, { type: 'table' }>;

/** Makes the blocks that are not given in Markdown. */
const BLOCK_MAKERS: Readonly<Record<BlockType, (spec: BlockSpec, inline: (line: string) => Span[]) => Block>> = {
  heading: ({ text = '', level = 1 }, inline) => ({ type: 'heading', level, spans: inline(text) }),
  paragraph: ({ text = '' }, inline) => ({ type: 'paragraph', spans: inline(text) }),
  quote: ({ text = '' }, inline) => ({ type: 'quote', blocks: [{ type: 'paragraph', spans: inline(text) }] }),
  code: ({ text = '' }) => ({ type: 'code', text: printable(text) }),
  list: ({ items = [], ordered = false }, inline) => ({
    type: 'list',
    ordered,
    start: 1,
    items: items.map((item) => [{ type: 'paragraph', spans: inline(item) }]),
  }),
  table: ({ rows = [] }, inline) => ({
    type: 'table',
    rows: rows.map((row) => row.map((cell) => inline(cell))),
    align: [],
  }),
  line: () => ({ type: 'line' }),
  page_break: () => ({ type: 'page_break' }),
};

/** Returns the parts of a document. Throws for content that is too large, or given twice. */
export function toBlocks({ markdown, blocks }: Pick<DocumentContent, 'markdown' | 'blocks'>): Block[] {
  return new BlockMaker().make({ markdown, blocks });
}

class BlockMaker {
  readonly #marked = new Marked({ gfm: true });
  #blocks = 0;
  #cells = 0;

  make({ markdown, blocks = [] }: Pick<DocumentContent, 'markdown' | 'blocks'>): Block[] {
    const given = markdown === undefined ? [] : this.#fromTokens(this.#marked.lexer(markdown), 0);
    return [...given, ...blocks.map((block) => this.#fromSpec(block))];
  }

  #fromTokens(tokens: readonly Token[], depth: number): Block[] {
    if (depth > MAX_DEPTH) throw new Error(`Lists and quotes may stand ${MAX_DEPTH} levels deep at most`);
    return tokens.flatMap((token) => this.#fromToken(token as Tokens.Generic, depth));
  }

  #fromToken(token: Tokens.Generic, depth: number): Block[] {
    switch (token.type) {
      case 'space':
      case 'def':
        return [];
      case 'list':
        return [this.#list(token as Tokens.List, depth)];
      case 'table':
        return [this.#table(token as Tokens.Table)];
      case 'blockquote':
        return [this.#count({ type: 'quote', blocks: this.#fromTokens(token.tokens ?? [], depth + 1) })];
      case 'paragraph':
      case 'text':
        return this.#paragraph(token.tokens ?? [token]);
      default:
        return this.#leaf(token);
    }
  }

  #leaf(token: Tokens.Generic): Block[] {
    if (token.type === 'heading')
      return [this.#count({ type: 'heading', level: Number(token['depth']), spans: spansOf(token.tokens) })];
    if (token.type === 'hr') return [this.#count({ type: 'line' })];
    if (token.type === 'code') return [this.#count(codeOf(token as Tokens.Code))];
    if (token.type === 'html' && PAGE_BREAK.test(token.raw)) return [this.#count({ type: 'page_break' })];
    return this.#paragraph([token]);
  }

  #paragraph(tokens: readonly Token[]): Block[] {
    const spans = spansOf(tokens);
    return spans.length === 0 ? [] : [this.#count({ type: 'paragraph', spans })];
  }

  #list({ ordered, start, items }: Tokens.List, depth: number): Block {
    const made = items.map(({ task, checked, tokens }) => {
      const blocks = this.#fromTokens(
        tokens.filter(({ type }) => type !== 'checkbox'),
        depth + 1,
      );
      if (!task) return blocks;
      const mark = { text: checked === true ? '☑ ' : '☐ ' };
      const [first, ...rest] = blocks;
      return first?.type === 'paragraph'
        ? [{ ...first, spans: [mark, ...first.spans] }, ...rest]
        : [{ type: 'paragraph' as const, spans: [mark] }, ...blocks];
    });
    return this.#count({ type: 'list', ordered, start: typeof start === 'number' ? start : 1, items: made });
  }

  #table({ header, rows, align }: Tokens.Table): Block {
    return this.#checkedTable({
      type: 'table',
      rows: [header, ...rows].map((row) => row.map(({ tokens }) => spansOf(tokens))),
      align: align.map((each) => each ?? 'left'),
    });
  }

  #checkedTable({ rows, align }: TableBlock): Block {
    const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0);
    if (width === 0) throw new Error('A table needs rows with cells');
    if (width > MAX_COLUMNS)
      throw new Error(`A table may have ${MAX_COLUMNS} columns at most; write a workbook instead`);
    this.#cells += width * rows.length;
    if (this.#cells > MAX_CELLS)
      throw new Error(`The tables may have ${MAX_CELLS} cells at most; write a workbook instead`);
    const filled = rows.map((row) => Array.from({ length: width }, (_, at) => row[at] ?? []));
    return this.#count({ type: 'table', rows: filled, align });
  }

  #fromSpec(spec: BlockSpec): Block {
    const made = BLOCK_MAKERS[spec.type](spec, (line) => spansOf(this.#marked.Lexer.lexInline(line)));
    return made.type === 'table' ? this.#checkedTable(made) : this.#count(made);
  }

  #count(block: Block): Block {
    this.#blocks += 1;
    if (this.#blocks > MAX_BLOCKS) throw new Error(`A document may have ${MAX_BLOCKS} parts at most`);
    return block;
  }
}

function codeOf({ text, lang = '' }: Tokens.Code): Block {
  const language = LANGUAGE.exec(lang)?.[0];
  return { type: 'code', text: printable(text), ...(language !== undefined && { language: language.toLowerCase() }) };
}
