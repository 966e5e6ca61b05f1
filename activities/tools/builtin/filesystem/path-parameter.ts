import { z } from 'zod';

/** Describes a path to a file of the workspace. */
export const FILE_PATH = 'Relative path in the workspace, such as `notes/plan.md`.';

/** Makes the schema of a path inside the workspace. */
export function pathParameter(description: string) {
  return z.string().min(1).max(1024).describe(description);
}
