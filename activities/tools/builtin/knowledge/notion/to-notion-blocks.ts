import type { Block, Span } from '../../../compute/job.ts';
import { ToolFailure } from '../../../tool-failure.ts';
import { pathOf, type ServiceCall } from '../../services/service-tool.ts';
import { inBlocks, toRichText } from './properties.ts';

/** A block as Notion takes it. */
interface NotionBlock {
  readonly type: string;
  readonly [content: string]: unknown;
}

/** The most children of a block, and levels of them, in one request. */
const MAX_CHILDREN = 100;
const LEVELS = 2;
const MAX_HEADING = 3;
const TASK = /^(?<mark>[☐☑]) /u;

type ListBlock = Extract<Block, { type: 'list' }>;
type TableBlock = Extract<Block, { type: 'table' }>;

/** Converts each part of a text to blocks. */
const MAKERS: {
  readonly [T in Block['type']]: (block: Extract<Block, { type: T }>, levels: number) => NotionBlock[];
} = {
  heading: ({ level, spans }) => textBlocks(`heading_${Math.min(level, MAX_HEADING)}`, spans),
  paragraph: ({ spans }) => textBlocks('paragraph', spans),
  list: (list, levels) => list.items.flatMap((item) => fromItem(item, list, levels)),
  quote: ({ blocks }, levels) => withChildren('quote', blocks, levels),
  code: ({ text, language }) => codeBlocks(text, language),
  table: (table, levels) => (levels === 0 ? rowsAsText(table) : tables(table)),
  line: divider,
  page_break: divider,
};

/**
 * Returns the parts of a text as blocks of Notion. What is nested deeper than a request allows is placed beside its
 * parent.
 */
export function toNotionBlocks(blocks: readonly Block[], levels = LEVELS): NotionBlock[] {
  return blocks.flatMap((block) => fromBlock(block, levels));
}

function fromBlock(block: Block, levels: number): NotionBlock[] {
  return (MAKERS[block.type] as (block: Block, levels: number) => NotionBlock[])(block, levels);
}

function divider(): NotionBlock[] {
  return [{ type: 'divider', divider: {} }];
}

function textBlocks(type: string, spans: readonly Span[], more: object = {}): NotionBlock[] {
  return inBlocks(toRichText(spans)).map((text) => ({ type, [type]: { rich_text: text, ...more } }));
}

function codeBlocks(text: string, language = ''): NotionBlock[] {
  return textBlocks('code', [{ text }], { language: notionLanguage(language) });
}

function fromItem(item: readonly Block[], { ordered }: ListBlock, levels: number): NotionBlock[] {
  const [first, ...rest] = item;
  const [span, ...spans] = first?.type === 'paragraph' ? first.spans : [];
  const mark = TASK.exec(span?.text ?? '')?.groups?.['mark'];
  if (mark === undefined || span === undefined)
    return withChildren(ordered ? 'numbered_list_item' : 'bulleted_list_item', item, levels);
  const text = [{ ...span, text: span.text.slice(2) }, ...spans].filter((each) => each.text !== '');
  return withChildren('to_do', [{ type: 'paragraph', spans: text }, ...rest], levels, { checked: mark === '☑' });
}

// The first paragraph is the text of the block, and the rest its children.
function withChildren(type: string, blocks: readonly Block[], levels: number, more: object = {}): NotionBlock[] {
  const [first, ...rest] = blocks;
  const hasText = first?.type === 'paragraph';
  const [head, ...overlong] = textBlocks(type, hasText ? first.spans : [], more);
  const below = [...overlong, ...toNotionBlocks(hasText ? rest : blocks, Math.max(levels - 1, 0))];
  if (head === undefined) return below;
  if (levels === 0 || below.length === 0) return [head, ...below];
  const content = head[type] as object;
  const children = below.slice(0, MAX_CHILDREN);
  return [{ ...head, [type]: { ...content, children } }, ...below.slice(MAX_CHILDREN)];
}

// A table that is too long for a request continues in another one with the same head.
function tables({ rows }: TableBlock): NotionBlock[] {
  const [head = [], ...body] = rows;
  const perTable = MAX_CHILDREN - 1;
  const count = Math.max(1, Math.ceil(body.length / perTable));
  return Array.from({ length: count }, (_, at) => {
    const part = [head, ...body.slice(at * perTable, (at + 1) * perTable)];
    const children = part.map((row) => ({
      type: 'table_row',
      table_row: { cells: row.map((cell) => inBlocks(toRichText(cell))[0] ?? []) },
    }));
    return {
      type: 'table',
      table: { table_width: head.length, has_column_header: true, has_row_header: false, children },
    };
  });
}

function rowsAsText({ rows }: TableBlock): NotionBlock[] {
  return rows.flatMap((row) => {
    const spans = row.flatMap((cell, at) => (at === 0 ? cell : [{ text: ' | ' }, ...cell]));
    return textBlocks('paragraph', spans);
  });
}

/** The languages of code blocks that Notion knows. */
const LANGUAGES: ReadonlySet<string> = new Set(
  (
    'abap,abc,agda,arduino,ascii art,assembly,bash,basic,bnf,c,c#,c++,clojure,coffeescript,coq,css,dart,dhall,diff,docker,' +
    'ebnf,elixir,elm,erlang,f#,flow,fortran,gherkin,glsl,go,graphql,groovy,haskell,hcl,html,idris,java,javascript,json,julia,' +
    'kotlin,latex,less,lisp,livescript,llvm ir,lua,makefile,markdown,markup,matlab,mathematica,mermaid,nix,objective-c,ocaml,' +
    'pascal,perl,php,plain text,powershell,prolog,protobuf,purescript,python,r,racket,reason,ruby,rust,sass,scala,scheme,scss,' +
    'shell,smalltalk,solidity,sql,swift,toml,typescript,vb.net,verilog,vhdl,visual basic,webassembly,xml,yaml'
  ).split(','),
);
/** Names that fences of Markdown have instead. */
const ALIASES: Readonly<Record<string, string>> = {
  js: 'javascript',
  ts: 'typescript',
  tsx: 'typescript',
  jsx: 'javascript',
  py: 'python',
  sh: 'shell',
  yml: 'yaml',
  rb: 'ruby',
  rs: 'rust',
  md: 'markdown',
  dockerfile: 'docker',
  cpp: 'c++',
  csharp: 'c#',
};

/** Returns the name that Notion has for a language; one that it does not know is plain text. */
function notionLanguage(name: string): string {
  const language = ALIASES[name] ?? name;
  return LANGUAGES.has(language) ? language : 'plain text';
}

/** The most blocks of one request with those below them, and its size: Notion takes 1,000 and 500 KB. */
const MAX_BLOCKS = 1_000;
const MAX_BYTES = 400_000;

/** Returns parts of a list of blocks of which each fits into a request. */
export function requestsOf(blocks: readonly NotionBlock[]): readonly (readonly NotionBlock[])[] {
  const parts: NotionBlock[][] = [];
  let [count, bytes] = [0, 0];
  for (const block of blocks) {
    const [more, size] = [countOf(block), Buffer.byteLength(JSON.stringify(block))];
    const part = parts.at(-1);
    const isFull =
      part === undefined || part.length >= MAX_CHILDREN || count + more > MAX_BLOCKS || bytes + size > MAX_BYTES;
    if (isFull) parts.push([block]);
    else part.push(block);
    [count, bytes] = isFull ? [more, size] : [count + more, bytes + size];
  }
  return parts;
}

/**
 * Appends parts to a page, one request after the other. When one fails after another one was made, the failure says how
 * far it came.
 */
export async function appendParts(
  id: string,
  { parts, made }: { readonly parts: readonly (readonly NotionBlock[])[]; readonly made: number },
  { service }: ServiceCall,
): Promise<void> {
  for (const [at, children] of parts.entries()) {
    try {
      await service.request({
        method: 'PATCH',
        path: pathOf`/blocks/${id}/children`,
        json: { children },
        effect: 'once',
      });
    } catch (error) {
      if (!(error instanceof ToolFailure) || made + at === 0) throw error;
      const words = `Only the first ${made + at} of ${made + parts.length} parts of the text were written to the page ${id}`;
      throw new ToolFailure(error.kind, `${words}: ${error.message}`, {
        isUncertain: true,
        isForeign: true,
        cause: error,
      });
    }
  }
}

function countOf(block: NotionBlock): number {
  const { children = [] } = block[block.type] as { readonly children?: readonly NotionBlock[] };
  return children.reduce((sum, child) => sum + countOf(child), 1);
}
