import type { Block, Span } from '../tools/compute/job.ts';

/** How a service marks up text. */
export interface Dialect {
  /** Escapes text so that it is shown as it is. */
  readonly escape: (text: string) => string;
  readonly bold: (marked: string) => string;
  readonly italic: (marked: string) => string;
  readonly strike: (marked: string) => string;
  readonly code: (marked: string) => string;
  readonly link: (marked: string, address: string) => string;
  readonly pre: (marked: string) => string;
  readonly quote: (marked: string) => string;
}

/** Writes the blocks of a text in Markdown as a service shows them: what it has no form for becomes plain lines. */
export function renderBlocks(blocks: readonly Block[], dialect: Dialect): string {
  return blocks
    .map((block) => renderBlock(block, dialect))
    .filter((text) => text !== '')
    .join('\n\n');
}

function renderBlock(block: Block, dialect: Dialect): string {
  switch (block.type) {
    case 'heading':
      return around(dialect.bold, renderSpans(plainOf(block.spans), dialect));
    case 'paragraph':
      return renderSpans(block.spans, dialect);
    case 'list':
      return renderList(block, dialect);
    case 'table':
      return dialect.pre(dialect.escape(alignedTable(block.rows)));
    case 'code':
      return dialect.pre(dialect.escape(block.text));
    case 'quote':
      return dialect.quote(renderBlocks(block.blocks, dialect));
    case 'line':
    case 'page_break':
      break;
  }
  return '';
}

function renderList({ ordered, start, items }: Extract<Block, { readonly type: 'list' }>, dialect: Dialect): string {
  return items
    .map((item, index) => {
      const text = item
        .map((block) => renderBlock(block, dialect))
        .join('\n')
        .replaceAll('\n', '\n    ');
      return `${ordered ? `${start + index}.` : '•'} ${text}`;
    })
    .join('\n');
}

// A heading is bold as a whole.
function plainOf(spans: readonly Span[]): Span[] {
  return spans.map(({ text, link }) => ({ text, ...(link !== undefined && { link }) }));
}

function renderSpans(spans: readonly Span[], dialect: Dialect): string {
  return spans.map((span) => renderSpan(span, dialect)).join('');
}

function renderSpan({ text, bold, italic, strike, code, link }: Span, dialect: Dialect): string {
  let marked = dialect.escape(text);
  if (code === true) marked = around(dialect.code, marked);
  if (strike === true) marked = around(dialect.strike, marked);
  if (italic === true) marked = around(dialect.italic, marked);
  if (bold === true) marked = around(dialect.bold, marked);
  return link === undefined ? marked : dialect.link(marked, link);
}

// Services ignore a mark next to a space.
function around(mark: (marked: string) => string, text: string): string {
  const inner = text.trim();
  if (inner === '') return text;
  const from = text.indexOf(inner);
  return `${text.slice(0, from)}${mark(inner)}${text.slice(from + inner.length)}`;
}

const MAX_CELL = 60;

/** Writes a table in columns, for a font whose characters have one width. */
function alignedTable(rows: readonly (readonly (readonly Span[])[])[]): string {
  const texts = rows.map((row) =>
    row.map((cell) =>
      cell
        .map(({ text }) => text)
        .join('')
        .replaceAll(/\s+/g, ' '),
    ),
  );
  const widths = (texts[0] ?? []).map((_, column) =>
    Math.min(
      MAX_CELL,
      texts.reduce((widest, row) => Math.max(widest, row[column]?.length ?? 0), 0),
    ),
  );
  return texts
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
