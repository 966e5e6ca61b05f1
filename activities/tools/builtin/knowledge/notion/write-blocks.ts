import { pathOf } from '../../services/path-of.ts';
import type { ServiceCall } from '../../services/service-tool.ts';
import { ToolFailure } from '../../../tool-failure.ts';
import { MAX_CHILDREN, type NotionBlock } from './to-notion-blocks.ts';

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
