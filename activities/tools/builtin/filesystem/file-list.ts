import { z } from 'zod';
import { defineTool } from '../../define-tool.ts';
import { folderPath } from '../../workspace/workspace-path.ts';
import type { Entry } from '../../workspace/workspace.ts';
import { pathParameter } from '../parameters.ts';

const MAX_DEPTH = 32;
const LIMIT = 200;

/** Lists a folder. */
export const fileList = defineTool({
  key: 'file_list',
  name: 'List files',
  description: 'Lists a folder of the workspace with type, size and time of change of each entry.',
  category: 'filesystem',
  parameters: z.strictObject({
    path: pathParameter('Folder inside the workspace; the workspace itself when left out.').optional(),
    recursive: z.boolean().optional().describe('Whether folders inside it are listed too.'),
    max_depth: z
      .int()
      .min(1)
      .max(MAX_DEPTH)
      .optional()
      .describe('With `recursive`: how many levels deep; 32 when left out.'),
    limit: z.int().min(1).max(1000).optional().describe('Most entries to list; 200 when left out.'),
  }),
  effect: 'read',
  timeoutSeconds: 30,
  inline: true,
  label: ({ path }) => `Listing ${path ?? 'the workspace'}`,
  run: async (args, { workspace, signal }) => {
    const maxDepth = args.recursive === true ? (args.max_depth ?? MAX_DEPTH) : 1;
    const options = { maxDepth, limit: args.limit ?? LIMIT };
    const { entries, isCut } = await workspace.list(folderPath(args.path ?? '.'), options, signal);
    const shown = entries.map(present);
    return {
      value: isCut ? { entries: shown, note: 'There is more; narrow path or raise limit' } : { entries: shown },
    };
  },
});

function present({ path, type, size, modifiedAt }: Entry) {
  return { path, type, ...(type === 'file' && { size }), modified_at: modifiedAt.toISOString() };
}
