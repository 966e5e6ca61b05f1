import type { ToolImplementation } from '../../tool.ts';
import { folderPath } from '../../workspace/index.ts';

/** Deletes a file or folder. Repeated, it finds nothing, which is a success too. */
export const fileDelete: ToolImplementation = {
  run: async ({ path, recursive }, { workspace, signal }) => {
    const names = folderPath(String(path));
    const wasThere = await workspace.remove(names, { recursive: recursive === true }, signal);
    return {
      value: wasThere ? { path, deleted: true } : { path, deleted: false, note: 'There was nothing at this path' },
    };
  },
  label: ({ path }) => `Deleting ${String(path)}`,
};
