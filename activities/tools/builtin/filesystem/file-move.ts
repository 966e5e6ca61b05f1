import { z } from 'zod';
import { defineTool } from '../../define-tool.ts';
import { filePath } from '../../workspace/workspace-path.ts';
import { FILE_PATH, pathParameter } from '../parameters.ts';

/** Moves, renames or copies. The workspace recognises a call that is repeated. */
export const fileMove = defineTool({
  key: 'file_move',
  name: 'Move file',
  description:
    'Moves or renames a file or folder of the workspace, or copies it when `copy` is true. Missing folders of the new path are made.',
  category: 'filesystem',
  parameters: z.strictObject({
    from: pathParameter(FILE_PATH),
    to: pathParameter('The whole new path, with the name: `archive/plan.md`, not only the folder `archive`.'),
    copy: z.boolean().optional().describe('Whether it stays at `from` too.'),
    overwrite: z.boolean().optional().describe('Whether a file at `to` may be replaced; a folder never is.'),
  }),
  effect: 'keyed',
  timeoutSeconds: 60,
  inline: true,
  label: ({ from, copy }) => `${copy === true ? 'Copying' : 'Moving'} ${from}`,
  run: async ({ from, to, copy = false, overwrite = false }, { workspace, idempotencyKey: key, signal }) => {
    await workspace.move(filePath(from), filePath(to), { key, isCopy: copy, overwrite }, signal);
    return { value: { [copy ? 'copied' : 'moved']: from, to } };
  },
});
