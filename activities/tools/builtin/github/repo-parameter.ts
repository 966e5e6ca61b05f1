import { z } from 'zod';
import { pathOf } from '../services/path-of.ts';

/** The repository that a call is about. */
export const repoParameter = z
  .string()
  .max(200)
  .regex(/^[\w.-]+\/[\w.-]+$/)
  .describe('The repository, as `owner/name`.');

/** Returns the path of a repository in the API. */
export function repoPath(repo: string): string {
  const [owner = '', name = ''] = repo.split('/', 2);
  return pathOf`/repos/${owner}/${name}`;
}
