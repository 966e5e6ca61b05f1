import { z } from 'zod';
import { defineTool } from '../../../define-tool.ts';
import { pathParameter } from '../path-parameter.ts';
import { createArchive } from './create-archive.ts';
import { extractArchive } from './extract-archive.ts';
import { listArchive } from './read-archive.ts';

const MAX_PATHS = 100;
const VERBS = { create: 'Packing', list: 'Listing', extract: 'Unpacking' } as const;

/** Packs and unpacks archives. Repeated, it writes the same files again. */
export const archive = defineTool({
  key: 'archive',
  name: 'Archive',
  description:
    'Packs files and folders of the workspace into a ZIP or tar archive, lists what an archive holds, or unpacks it.',
  category: 'filesystem',
  parameters: z.strictObject({
    action: z.enum(['create', 'list', 'extract']).describe('What to do.'),
    archive: pathParameter('Path of the archive; to create one, its end is `.zip`, `.tar`, `.tar.gz` or `.tgz`.'),
    paths: z
      .array(z.string().min(1).max(1024))
      .min(1)
      .max(MAX_PATHS)
      .optional()
      .describe('Files and folders: for create what to pack, for extract the only ones to unpack.'),
    to: z
      .string()
      .max(1024)
      .optional()
      .describe('For extract: the folder to unpack into; the workspace when left out.'),
    overwrite: z.boolean().optional().describe('Whether files that are there may be replaced; false when left out.'),
  }),
  effect: 'keyed',
  effectOf: ({ action }) => (action === 'list' ? 'read' : 'keyed'),
  timeoutSeconds: 120,
  label: ({ action, archive: path }) => `${VERBS[action]} ${path}`,
  run: async ({ action, archive: path, paths, to = '', overwrite = false }, context) =>
    context.runLargeWork(async () => {
      if (action === 'list') return listArchive(path, context);
      if (action === 'extract') return extractArchive({ archive: path, paths, to, overwrite }, context);
      return createArchive({ archive: path, paths, overwrite }, context);
    }),
});
