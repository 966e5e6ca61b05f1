import type { Block } from '../compute/job.ts';
import type { ToolContext } from '../context.ts';

/** How a text is marked. */
interface TextStyle {
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly strike?: boolean;
  readonly code?: boolean;
  readonly link?: string | undefined;
}

/** Returns a text with the marks of Markdown for its style. */
export function markText(text: string, { bold, italic, strike, code, link }: TextStyle): string {
  if (text.trim() === '') return text;
  const marks = [bold === true ? '**' : '', italic === true ? '_' : '', strike === true ? '~~' : ''];
  const inner = code === true ? `\`${text}\`` : text;
  const marked = around(inner, marks.join(''), marks.toReversed().join(''));
  return link === undefined ? marked : `[${marked}](${link})`;
}

// Marks that touch a blank are none.
function around(text: string, opening: string, closing: string): string {
  const inner = text.trim();
  const from = text.indexOf(inner);
  return `${text.slice(0, from)}${opening}${inner}${closing}${text.slice(from + inner.length)}`;
}

/** Returns a text with a prefix before each of its lines. */
export function prefixLines(text: string, prefix: string): string {
  return text
    .split('\n')
    .map((line) => `${prefix}${line}`.trimEnd())
    .join('\n');
}

/** Returns a block of code, in a fence that is longer than any in it. */
export function fenceCode(text: string, language = ''): string {
  const runs = text.match(/`{3,}/g) ?? [];
  const fence = '`'.repeat(runs.reduce((longest, { length }) => Math.max(longest, length + 1), 3));
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Returns a table, whose first row is its head. */
export function tableOf(rows: readonly (readonly string[])[]): string {
  const [head, ...body] = rows.map(
    (row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`,
  );
  if (head === undefined) return '';
  return [head, `|${' --- |'.repeat(Math.max(1, rows[0]?.length ?? 0))}`, ...body].join('\n');
}

/** Returns the parts of a text in Markdown, for services that have a format of their own. */
export async function markdownBlocks(
  markdown: string,
  { compute }: Pick<ToolContext, 'compute'>,
): Promise<readonly Block[]> {
  return JSON.parse(await compute({ kind: 'markdown_blocks', markdown })) as readonly Block[];
}
