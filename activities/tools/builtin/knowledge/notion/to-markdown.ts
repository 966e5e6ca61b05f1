import { z } from 'zod';
import { fenceCode, prefixLines, tableOf } from '../../markdown-text.ts';
import { pathOf } from '../../services/service-tool.ts';
import type { ActionService } from '../../services/read-answer.ts';
import { plainText, toInlineMarkdown } from './properties.ts';

/** A block as Notion answers it, with those below it. */
interface ReadBlock {
  readonly type: string;
  readonly content: Readonly<Record<string, unknown>>;
  readonly children: readonly ReadBlock[];
}

const file = z.object({
  name: z.string().optional(),
  external: z.object({ url: z.string() }).optional(),
  file: z.object({ url: z.string() }).optional(),
});
const INDENT = '  ';
/** Blocks whose text has a mark before it. */
const MARKS: Readonly<Record<string, string>> = {
  heading_1: '# ',
  heading_2: '## ',
  heading_3: '### ',
  bulleted_list_item: '- ',
  numbered_list_item: '1. ',
  toggle: '- ',
};
/** Blocks whose children are indented below them. */
const LIST_ITEMS: ReadonlySet<string> = new Set(['bulleted_list_item', 'numbered_list_item', 'to_do', 'toggle']);
/** Blocks that contain others and have no text. */
const CONTAINERS: ReadonlySet<string> = new Set(['column_list', 'column', 'synced_block', 'template', 'tab']);

/** Returns blocks of Notion as Markdown. */
export function blocksToMarkdown(blocks: readonly ReadBlock[]): string {
  return blocks
    .map((block, at) => {
      const goesOn = isSameList(block.type, blocks[at + 1]?.type ?? '');
      return `${blockToMarkdown(block)}${goesOn ? '\n' : '\n\n'}`;
    })
    .join('')
    .trimEnd();
}

const NUMBERED = 'numbered_list_item';

function isSameList(type: string, next: string): boolean {
  return LIST_ITEMS.has(type) && LIST_ITEMS.has(next) && (type === NUMBERED) === (next === NUMBERED);
}

function blockToMarkdown(block: ReadBlock): string {
  const { type, children } = block;
  if (type === 'table') return tableToMarkdown(children);
  const own = ownMarkdown(block);
  if (children.length === 0) return own;
  const below = blocksToMarkdown(children);
  if (CONTAINERS.has(type)) return below;
  if (type === 'quote' || type === 'callout') return `${own}\n>\n${prefixLines(below, '> ')}`;
  return LIST_ITEMS.has(type) ? `${own}\n${prefixLines(below, INDENT)}` : `${own}\n\n${below}`;
}

function ownMarkdown({ type, content }: ReadBlock): string {
  const text = toInlineMarkdown(content['rich_text']);
  switch (type) {
    case 'to_do':
      return `- [${content['checked'] === true ? 'x' : ' '}] ${text}`;
    case 'quote':
    case 'callout':
      return prefixLines(text, '> ');
    case 'code':
      return codeToMarkdown(content);
    case 'divider':
      return '---';
    case 'equation':
      return `$$${textAt(content, 'expression')}$$`;
    case 'child_page':
    case 'child_database':
      return `[${type.replace('_', ' ')}: ${textAt(content, 'title')}]`;
    default:
      return Array.isArray(content['rich_text']) ? `${MARKS[type] ?? ''}${text}` : linkToMarkdown(type, content);
  }
}

function codeToMarkdown(content: ReadBlock['content']): string {
  const language = textAt(content, 'language');
  return fenceCode(plainText(content['rich_text']), language === 'plain text' ? '' : language);
}

// Pictures, files and bookmarks have an address.
function linkToMarkdown(type: string, content: ReadBlock['content']): string {
  const { external, file: own, name } = file.safeParse(content).data ?? {};
  const url = external?.url ?? own?.url ?? textAt(content, 'url');
  if (url === '') return CONTAINERS.has(type) ? '' : `[${type.replaceAll('_', ' ')}]`;
  const caption = plainText(content['caption']);
  const label = caption === '' ? (name ?? type.replaceAll('_', ' ')) : caption;
  return `${type === 'image' ? '!' : ''}[${label}](${url})`;
}

function tableToMarkdown(rows: readonly ReadBlock[]): string {
  return tableOf(
    rows.map(({ content: { cells } }) => (Array.isArray(cells) ? cells.map((cell) => toInlineMarkdown(cell)) : [])),
  );
}

function textAt(content: ReadBlock['content'], name: string): string {
  const value = content[name];
  return typeof value === 'string' ? value : '';
}

/** The cost limits of one page: sequential requests, and levels below it. */
const MAX_REQUESTS = 40;
const MAX_DEPTH = 6;
const PAGE_SIZE = 100;

const page = z.object({
  results: z.array(z.looseObject({ id: z.string(), type: z.string(), has_children: z.boolean().catch(false) })),
  has_more: z.boolean(),
  next_cursor: z.string().nullish(),
});
const content = z.record(z.string(), z.unknown());
/** Blocks whose children are pages of their own. */
const APART: ReadonlySet<string> = new Set(['child_page', 'child_database']);

interface Reading {
  readonly service: ActionService;
  requestsLeft: number;
  isCut: boolean;
}

/** Reads the blocks of a page with those below them, and whether there are more than can be read at once. */
export async function readBlocks(
  service: ActionService,
  id: string,
): Promise<{ readonly blocks: readonly ReadBlock[]; readonly isCut: boolean }> {
  const reading: Reading = { service, requestsLeft: MAX_REQUESTS, isCut: false };
  const blocks = await childrenOf(id, reading, MAX_DEPTH);
  return { blocks, isCut: reading.isCut };
}

async function childrenOf(id: string, reading: Reading, depth: number): Promise<ReadBlock[]> {
  const blocks: ReadBlock[] = [];
  let cursor: string | undefined;
  do {
    if (reading.requestsLeft === 0 || depth === 0) {
      reading.isCut = true;
      return blocks;
    }
    reading.requestsLeft -= 1;
    const path = pathOf`/blocks/${id}/children`;
    const query = { page_size: PAGE_SIZE, start_cursor: cursor };
    const { results, has_more: hasMore, next_cursor: next } = await reading.service.read({ path, query }, page);
    for (const block of results) {
      const isRead = block.has_children && !APART.has(block.type);
      const children = isRead ? await childrenOf(block.id, reading, depth - 1) : [];
      blocks.push({ type: block.type, content: content.catch({}).parse(block[block.type]), children });
    }
    cursor = hasMore ? (next ?? undefined) : undefined;
  } while (cursor !== undefined);
  return blocks;
}
