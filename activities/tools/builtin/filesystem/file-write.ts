import { z } from 'zod';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { filePath } from '../../workspace/workspace-path.ts';
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
