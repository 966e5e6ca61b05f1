import { z } from 'zod';
import { defineTool } from '../../define-tool.ts';
import { findFiles } from './find-files.ts';
import { pathParameter } from './path-parameter.ts';

const LIMIT = 200;

/** Finds files by pattern. */
export const fileFind = defineTool({
  key: 'file_find',
  name: 'Find files',
  description:
    'Finds files of the workspace by a glob pattern, such as `**/*.md` or `src/**/{a,b}*.ts`. Files that a .gitignore excludes are left out.',
  category: 'filesystem',
  parameters: z.strictObject({
    pattern: z
      .string()
      .min(1)
      .max(500)
      .describe('Glob pattern, relative to `path`: `*` within a name, `**` across folders, `?`, `[abc]`, `{a,b}`.'),
    path: pathParameter('Folder to search in; the workspace itself when left out.').optional(),
    include_ignored: z.boolean().optional().describe('Whether files that a .gitignore excludes are found too.'),
    limit: z.int().min(1).max(1000).optional().describe('Most paths to answer; 200 when left out.'),
  }),
  effect: 'read',
  timeoutSeconds: 30,
  inline: true,
  label: ({ pattern }) => `Finding ${pattern}`,
  run: async ({ pattern, path = '.', include_ignored: isAll = false, limit = LIMIT }, context) => {
    const { files, isCut } = await findFiles({ pattern, folder: path, isAll }, context);
    const paths = files.slice(0, limit).map((file) => file.path);
    const hasMore = isCut || files.length > limit;
    return { value: hasMore ? { paths, note: 'There may be more; narrow path or pattern' } : { paths } };
  },
});
