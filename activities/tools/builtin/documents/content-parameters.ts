import { z } from 'zod';
import { BLOCK_TYPES } from '../../compute/job.ts';
import { ToolFailure } from '../../tool-failure.ts';

const MAX_BLOCKS = 5_000;
const MAX_LINES = 5_000;

const block = z.strictObject({
  type: z.enum(BLOCK_TYPES),
  text: z.string().optional(),
  level: z.int().min(1).max(6).optional(),
  items: z.array(z.string()).max(MAX_LINES).optional(),
  ordered: z.boolean().optional(),
  rows: z.array(z.array(z.string()).max(30)).max(MAX_LINES).optional().describe('Of a table; the first is its head.'),
});

/** The parameters of tools that write documents. */
export const CONTENT_PARAMETERS = {
  file: z.string().min(1).max(1024).describe('Path to write to; a file that is there is replaced.'),
  markdown: z
    .string()
    .optional()
    .describe('The content, with tables; a line `<!-- pagebreak -->` begins a new page. Pictures are left out.'),
  blocks: z.array(block).max(MAX_BLOCKS).optional().describe('The content in parts, instead of Markdown.'),
  title: z.string().max(300).optional().describe('Also the heading, when the content begins with none.'),
};

/** Rejects content that is given twice or not at all. */
export function requireContent({ markdown, blocks }: { markdown?: string | undefined; blocks?: unknown }): void {
  if ((markdown === undefined) === (blocks === undefined))
    throw new ToolFailure('invalid_input', 'Give either markdown or blocks');
}
