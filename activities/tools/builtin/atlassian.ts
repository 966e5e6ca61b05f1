import { z } from 'zod';
import type { Block, Span } from '../compute/job.ts';
import { fenceCode, markText, prefixLines, tableOf } from './markdown-text.ts';

/** A node of the Atlassian Document Format. */
export interface AdfNode {
  readonly type: string;
  readonly attrs?: Readonly<Record<string, unknown>>;
  readonly marks?: readonly { readonly type: string; readonly attrs?: Readonly<Record<string, unknown>> }[];
  readonly text?: string;
  readonly content?: readonly AdfNode[];
}

/** A document, as descriptions, comments and pages have it. */
type AdfDocument = AdfNode & { readonly type: 'doc'; readonly version: 1 };

/** Converts each part of a text to nodes. */
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

// Items and quotes contain paragraphs, lists and code only, and begin with a paragraph.
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

type Attributes = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 60;
const attributes = z.record(z.string(), z.unknown()).catch({});
const node = z.object({
  type: z.string(),
  attrs: attributes.optional(),
  text: z.string().optional(),
  marks: z
    .array(z.object({ type: z.string(), attrs: attributes.optional() }))
    .catch([])
    .optional(),
  content: z.array(z.unknown()).catch([]).optional(),
});
type ReadNode = z.output<typeof node>;

/** Inline nodes, each with the text that replaces it. */
const INLINE: Readonly<Record<string, (attrs: Attributes) => string>> = {
  hardBreak: () => '\n',
  mention: (attrs) => textAt(attrs, 'text'),
  emoji: (attrs) => textAt(attrs, 'text') || textAt(attrs, 'shortName'),
  status: (attrs) => `[${textAt(attrs, 'text')}]`,
  inlineCard: (attrs) => textAt(attrs, 'url'),
  placeholder: (attrs) => textAt(attrs, 'text'),
  date: (attrs) => dateOf(attrs),
  mediaInline: () => '[attachment]',
};

/** Blocks, by what makes Markdown of them. */
const BLOCKS: Readonly<Record<string, (block: ReadNode, depth: number) => string>> = {
  paragraph: inlineMarkdown,
  heading: (block, depth) => `${'#'.repeat(levelOf(block))} ${inlineMarkdown(block, depth)}`,
  codeBlock: (block) => fenceCode(rawText(block), textAt(block.attrs ?? {}, 'language')),
  blockquote: (block, depth) => prefixLines(blocksMarkdown(block, depth), '> '),
  panel: (block, depth) => prefixLines(blocksMarkdown(block, depth), '> '),
  rule: () => '---',
  bulletList: (block, depth) => itemsMarkdown(block, depth, () => '- '),
  orderedList: (block, depth) => itemsMarkdown(block, depth, (at) => `${firstNumber(block) + at}. `),
  taskList: (block, depth) =>
    itemsMarkdown(block, depth, (_at, item) => `- [${item.attrs?.['state'] === 'DONE' ? 'x' : ' '}] `),
  decisionList: (block, depth) => itemsMarkdown(block, depth, () => '- '),
  table: (block, depth) => tableMarkdown(block, depth),
  expand: (block, depth) => `**${textAt(block.attrs ?? {}, 'title')}**\n\n${blocksMarkdown(block, depth)}`,
  nestedExpand: (block, depth) => `**${textAt(block.attrs ?? {}, 'title')}**\n\n${blocksMarkdown(block, depth)}`,
  media: ({ attrs = {} }) => `[attachment${textAt(attrs, 'alt') === '' ? '' : `: ${textAt(attrs, 'alt')}`}]`,
  blockCard: ({ attrs = {} }) => textAt(attrs, 'url'),
  embedCard: ({ attrs = {} }) => textAt(attrs, 'url'),
  extension: ({ attrs = {} }) => `[macro: ${textAt(attrs, 'extensionKey')}]`,
};

/** Returns a document as Markdown; a text is returned as it is. */
export function adfToMarkdown(document: unknown): string {
  if (typeof document === 'string') return document;
  const { data } = node.safeParse(document);
  return data === undefined ? '' : blocksMarkdown(data, MAX_DEPTH);
}

function blocksMarkdown({ content }: ReadNode, depth: number): string {
  return nodesIn(content)
    .map((each) => blockMarkdown(each, depth - 1))
    .filter((text) => text !== '')
    .join('\n\n');
}

function blockMarkdown(block: ReadNode, depth: number): string {
  if (depth <= 0) return '[...]';
  const make = BLOCKS[block.type];
  if (make !== undefined) return make(block, depth);
  const isInline = block.type === 'text' || INLINE[block.type] !== undefined;
  return isInline ? inlineOf(block) : blocksMarkdown(block, depth);
}

// The content of tasks and decisions is text, that of other items is blocks.
function itemsMarkdown({ content }: ReadNode, depth: number, markOf: (at: number, item: ReadNode) => string): string {
  return nodesIn(content)
    .map((item, at) => {
      if (BLOCKS[item.type] !== undefined) return prefixLines(blockMarkdown(item, depth - 1), '  ');
      const isText = item.type === 'taskItem' || item.type === 'decisionItem';
      const text = isText ? inlineMarkdown(item, depth) : itemText(item, depth);
      const mark = markOf(at, item);
      return `${mark}${prefixLines(text, ' '.repeat(mark.startsWith('- ') ? 2 : mark.length)).trimStart()}`;
    })
    .join('\n');
}

function itemText({ content }: ReadNode, depth: number): string {
  return nodesIn(content)
    .map((each, at) => `${at === 0 ? '' : gapBefore(each)}${blockMarkdown(each, depth - 1)}`)
    .join('');
}

function gapBefore({ type }: ReadNode): string {
  return type.endsWith('List') ? '\n' : '\n\n';
}

function tableMarkdown({ content }: ReadNode, depth: number): string {
  return tableOf(nodesIn(content).map((row) => nodesIn(row.content).map((cell) => blocksMarkdown(cell, depth - 2))));
}

function inlineMarkdown({ content }: ReadNode, _depth: number): string {
  return nodesIn(content).map(inlineOf).join('');
}

function inlineOf({ type, text = '', attrs = {}, marks = [] }: ReadNode): string {
  if (type !== 'text') return INLINE[type]?.(attrs) ?? text;
  const has = (name: string) => marks.some((mark) => mark.type === name);
  const link = marks.find((mark) => mark.type === 'link')?.attrs?.['href'];
  return markText(text, {
    bold: has('strong'),
    italic: has('em'),
    strike: has('strike'),
    code: has('code'),
    link: typeof link === 'string' ? link : undefined,
  });
}

function rawText({ content }: ReadNode): string {
  return nodesIn(content)
    .map(({ text = '' }) => text)
    .join('');
}

function nodesIn(content: readonly unknown[] = []): readonly ReadNode[] {
  return content.flatMap((each) => node.safeParse(each).data ?? []);
}

function textAt(attrs: Attributes, name: string): string {
  const value = attrs[name];
  return typeof value === 'string' ? value : '';
}

function levelOf({ attrs }: ReadNode): number {
  return Math.min(Math.max(Number(attrs?.['level'] ?? 1) || 1, 1), 6);
}

function firstNumber({ attrs }: ReadNode): number {
  return Math.trunc(Number(attrs?.['order'] ?? 1)) || 1;
}

// Milliseconds since 1970, as text.
function dateOf(attrs: Attributes): string {
  const date = new Date(Number(attrs['timestamp']));
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 10);
}
