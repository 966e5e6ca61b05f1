import { z } from 'zod';

/** Says what a path to a file of the workspace looks like. */
export const FILE_PATH = 'Path inside the workspace, such as `notes/plan.md`; relative, with `/`, without `..`.';

/** A path inside the workspace, as an argument. */
export function pathParameter(description: string) {
  return z.string().min(1).max(1024).describe(description);
}
