import { z } from 'zod';

/** The parameter of all git tools that says where the repository is. */
export const cwdParameter = z
  .string()
  .max(1024)
  .optional()
  .describe('Folder of the repository; the workspace itself when left out.');

/** Makes the schema of the name of a branch, a tag or a commit, which cannot be taken for an option. */
export function revisionParameter(description: string) {
  return z
    .string()
    .min(1)
    .max(200)
    .regex(/^[^-\s]\S*$/)
    .describe(description);
}
