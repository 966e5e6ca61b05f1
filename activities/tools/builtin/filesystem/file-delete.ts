import { z } from 'zod';
import { defineTool } from '../../define-tool.ts';
import { folderPath } from '../../workspace/workspace-path.ts';
import { FILE_PATH, pathParameter } from '../parameters.ts';

/** Deletes a file or folder. Repeated, it finds nothing, which is a success too. */
export const fileDelete = defineTool({
  key: 'file_delete',
  name: 'Delete file',
  description:
    'Deletes a file of the workspace, or a folder with all that is in it when `recursive` is true. Succeeds when there is nothing at the path.',
  category: 'filesystem',
  parameters: z.strictObject({
    path: pathParameter(FILE_PATH),
    recursive: z.boolean().optional().describe('Whether a folder that is not empty may be deleted.'),
  }),
  effect: 'keyed',
  approval: 'writes',
  approvalOf: ({ recursive }) => (recursive === true ? 'writes' : 'never'),
  timeoutSeconds: 60,
  inline: true,
  label: ({ path }) => `Deleting ${path}`,
  run: async ({ path, recursive }, { workspace, signal }) => {
    const names = folderPath(path);
    const wasThere = await workspace.remove(names, { recursive: recursive === true }, signal);
    return {
      value: wasThere ? { path, deleted: true } : { path, deleted: false, note: 'There was nothing at this path' },
    };
  },
});
