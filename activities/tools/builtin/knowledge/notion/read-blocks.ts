import { z } from 'zod';
import { pathOf } from '../../services/path-of.ts';
import type { Service } from '../../../context.ts';
import { readAnswer } from '../../services/read-answer.ts';
import type { ReadBlock } from './to-markdown.ts';

/** What one page may cost: requests one after the other, and levels below it. */
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
  readonly service: Service;
  requestsLeft: number;
  isCut: boolean;
}

/** Reads the blocks of a page with those below them, and tells whether there are more than can be read at once. */
export async function readBlocks(
  service: Service,
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
    const answer = await reading.service.request({ path, query, effect: 'read' });
    const { results, has_more: hasMore, next_cursor: next } = readAnswer(answer, page);
    for (const block of results) {
      const isRead = block.has_children && !APART.has(block.type);
      const children = isRead ? await childrenOf(block.id, reading, depth - 1) : [];
      blocks.push({ type: block.type, content: content.catch({}).parse(block[block.type]), children });
    }
    cursor = hasMore ? (next ?? undefined) : undefined;
  } while (cursor !== undefined);
  return blocks;
}
