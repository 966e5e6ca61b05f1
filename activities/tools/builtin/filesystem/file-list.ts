import type { ToolImplementation } from '../../tool.ts';
import { type Entry, folderPath } from '../../workspace/index.ts';

interface Arguments {
  readonly path?: string;
  readonly recursive?: boolean;
  readonly max_depth?: number;
  readonly limit?: number;
}

const MAX_DEPTH = 32;
const LIMIT = 200;

/** Lists a folder. */
export const fileList: ToolImplementation = {
  run: async (given, { workspace, signal }) => {
    const args = given as unknown as Arguments;
    const maxDepth = args.recursive === true ? (args.max_depth ?? MAX_DEPTH) : 1;
    const options = { maxDepth, limit: args.limit ?? LIMIT };
    const { entries, isCut } = await workspace.list(folderPath(args.path ?? '.'), options, signal);
    const shown = entries.map(present);
    return {
      value: isCut ? { entries: shown, note: 'There is more; narrow path or raise limit' } : { entries: shown },
    };
  },
  label: ({ path }) => `Listing ${typeof path === 'string' ? path : 'the workspace'}`,
};

function present({ path, type, size, modifiedAt }: Entry) {
  return { path, type, ...(type === 'file' && { size }), modified_at: modifiedAt.toISOString() };
}
