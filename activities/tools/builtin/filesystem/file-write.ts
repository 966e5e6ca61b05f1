import { ToolFailure } from '../../tool-failure.ts';
import type { ToolImplementation } from '../../tool.ts';
import { filePath } from '../../workspace/index.ts';

interface Arguments {
  readonly path: string;
  readonly content: string;
  readonly encoding?: 'utf8' | 'base64';
  readonly overwrite?: boolean;
  readonly create_dirs?: boolean;
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Creates or replaces a file. Repeated, it writes the same once more. */
export const fileWrite: ToolImplementation = {
  run: async (given, { workspace, hasForeignText: isForeign }) => {
    const args = given as unknown as Arguments;
    const bytes = decode(args);
    const { wasThere } = await workspace.write(filePath(args.path), bytes, {
      overwrite: args.overwrite ?? true,
      createFolders: args.create_dirs ?? true,
      isForeign,
    });
    return { value: { path: args.path, bytes: bytes.length, replaced: wasThere } };
  },
  label: ({ path }) => `Writing ${String(path)}`,
};

function decode({ content, encoding }: Arguments): Buffer {
  if (encoding !== 'base64') return Buffer.from(content);
  if (!BASE64.test(content.replaceAll(/\s+/g, ''))) throw new ToolFailure('invalid_input', 'The content is not base64');
  return Buffer.from(content, 'base64');
}
