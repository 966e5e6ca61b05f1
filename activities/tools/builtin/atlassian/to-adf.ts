import type { Block, Span } from '../../compute/job.ts';

/** A node of the Atlassian Document Format. */
export interface AdfNode {
  readonly type: string;
  readonly attrs?: Readonly<Record<string, unknown>>;
  readonly marks?: readonly { readonly type: string; readonly attrs?: Readonly<Record<string, unknown>> }[];
  readonly text?: string;
  readonly content?: readonly AdfNode[];
}

/** A document, as descriptions, comments and pages have it. */
export type AdfDocument = AdfNode & { readonly type: 'doc'; readonly version: 1 };

/** What makes nodes of each part of a text. */
const MAKERS: { readonly [T in Block['type']]: (block: Extract<Block, { type: T }>) => AdfNode[] } = {
  heading: ({ level, spans }) => [{ type: 'heading', attrs: { level: Math.min(level, 6) }, content: inline(spans) }],
  paragraph: ({ spans }) => [paragraph(spans)],
  list: ({ ordered, start, items }) => [
    {
      type: ordered ? 'orderedList' : 'bulletList',
      ...(ordered && { attrs: { order: start } }),
      content: items.map((item) => ({ type: 'listItem', content: nested(item) })),
    },
  ],
  table: ({ rows }) => [{ type: 'table', content: rows.map((row, at) => tableRow(row, at === 0)) }],
  code: ({ text, language }) => [
    {
      type: 'codeBlock',
      ...(language !== undefined && { attrs: { language } }),
      content: text === '' ? [] : [{ type: 'text', text }],
    },
  ],
  quote: ({ blocks }) => [{ type: 'blockquote', content: nested(blocks) }],
  line: () => [{ type: 'rule' }],
  page_break: () => [{ type: 'rule' }],
};

/** Returns the parts of a text as a document. */
export function toAdf(blocks: readonly Block[]): AdfDocument {
  return { type: 'doc', version: 1, content: blocks.flatMap((block) => nodesOf(block)) };
}

function nodesOf(block: Block): AdfNode[] {
  return (MAKERS[block.type] as (block: Block) => AdfNode[])(block);
}

// Items and quotes hold paragraphs, lists and code only, and begin with a paragraph.
function nested(blocks: readonly Block[]): AdfNode[] {
  const nodes = blocks.flatMap((block) => innerNodesOf(block));
  return nodes[0]?.type === 'paragraph' ? nodes : [paragraph([]), ...nodes];
}

function innerNodesOf(block: Block): AdfNode[] {
  switch (block.type) {
    case 'heading':
      return [paragraph(block.spans.map((span) => ({ ...span, bold: true })))];
    case 'quote':
      return block.blocks.flatMap((each) => innerNodesOf(each));
    case 'table':
      return block.rows.map((row) =>
        paragraph(row.flatMap((cell, at) => (at === 0 ? cell : [{ text: ' | ' }, ...cell]))),
      );
    case 'line':
    case 'page_break':
      return [];
    case 'paragraph':
    case 'list':
    case 'code':
    default:
      return nodesOf(block);
  }
}

function tableRow(row: readonly (readonly Span[])[], isHead: boolean): AdfNode {
  const type = isHead ? 'tableHeader' : 'tableCell';
  return { type: 'tableRow', content: row.map((cell) => ({ type, content: [paragraph(cell)] })) };
}

function paragraph(spans: readonly Span[]): AdfNode {
  return { type: 'paragraph', content: inline(spans) };
}

function inline(spans: readonly Span[]): AdfNode[] {
  return spans.flatMap((span) =>
    span.text.split('\n').flatMap((line, at) => {
      const text = line === '' ? [] : [textNode(line, span)];
      return at === 0 ? text : [{ type: 'hardBreak' }, ...text];
    }),
  );
}

function textNode(text: string, { bold, italic, strike, code, link }: Span): AdfNode {
  const href = link === undefined ? [] : [{ type: 'link', attrs: { href: link } }];
  // Code takes no other mark but a link.
  const styles = code === true ? ['code'] : [bold && 'strong', italic && 'em', strike && 'strike'];
  const marks = [...styles.flatMap((type) => (typeof type === 'string' ? [{ type }] : [])), ...href];
  return { type: 'text', text, ...(marks.length > 0 && { marks }) };
}
