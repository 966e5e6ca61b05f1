import type { Block } from '../compute/job.ts';
import type { ToolContext } from '../context.ts';

/** Returns the parts of a text in Markdown, for services that have a format of their own. */
export async function markdownBlocks(
  markdown: string,
  { compute }: Pick<ToolContext, 'compute'>,
): Promise<readonly Block[]> {
  return JSON.parse(await compute({ kind: 'markdown_blocks', markdown })) as readonly Block[];
}
