import { z } from 'zod';
import { pathOf } from '../services/path-of.ts';

/** The project that a call is about. */
export const projectParameter = z
  .string()
  .max(300)
  .regex(/^(?!.*(?:^|\/)\.{1,2}(?:\/|$))[\w.-]+(?:\/[\w.-]+)*$/)
  .describe('The project: its path, such as `group/project`, or its id.');

/** Returns the path of a project in the API. */
export function projectPath(project: string): string {
  return pathOf`/projects/${project}`;
}
