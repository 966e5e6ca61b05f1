import { z } from 'zod';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { filePath, folderPath } from '../../workspace/workspace-path.ts';
import { FILE_PATH, pathParameter } from '../parameters.ts';

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Creates or replaces a file. Repeated, it writes the same again. */
export const fileWrite = defineTool({
  key: 'file_write',
  name: 'Write file',
  description: 'Creates a file in the workspace, or replaces it whole. To change a part of a file use file_edit.',
  category: 'filesystem',
  parameters: z.strictObject({
    path: pathParameter(FILE_PATH),
    content: z.string().describe('What the file will hold.'),
    encoding: z.enum(['utf8', 'base64']).optional().describe('How `content` is written: `utf8` (default) or `base64`.'),
    overwrite: z.boolean().optional().describe('Whether a file that is there may be replaced; true when left out.'),
    create_dirs: z.boolean().optional().describe('Whether missing folders of the path are made; true when left out.'),
  }),
  effect: 'keyed',
  timeoutSeconds: 30,
  inline: true,
  label: ({ path }) => `Writing ${path}`,
  run: async (args, { workspace, hasForeignText: isForeign }) => {
    const bytes = args.encoding === 'base64' ? decode(args.content) : Buffer.from(args.content);
    const { wasThere } = await workspace.write(filePath(args.path), bytes, {
      overwrite: args.overwrite ?? true,
      createFolders: args.create_dirs ?? true,
      isForeign,
    });
    return { value: { path: args.path, bytes: bytes.length, replaced: wasThere } };
  },
});

function decode(content: string): Buffer {
  if (!BASE64.test(content.replaceAll(/\s+/g, ''))) throw new ToolFailure('invalid_input', 'The content is not base64');
  return Buffer.from(content, 'base64');
}

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
