import { defineApiTool } from '../services/api-tool.ts';
import { z } from 'zod';
import { pathOf, type ServiceCall } from '../services/service-tool.ts';

/** Calls any route of GitLab's REST API. */
export const gitlabApi = defineApiTool({
  key: 'gitlab_api',
  name: 'GitLab API',
  description:
    "Calls any route below `/api/v4` of GitLab's REST API, for what the other GitLab tools do not cover, such as `/projects/group%2Fproject/releases`.",
  category: 'gitlab',
  kind: 'gitlab',
});

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

/** The shown fields of a comment; GitLab's own notes of changes are `system`. */
export const NOTE = 'id author.username body system resolved created_at';

/** Comments on what is at a path of the API. */
export async function commentOn(path: string, body: string, { service }: ServiceCall): Promise<unknown> {
  return service.pick({ method: 'POST', path: `${path}/notes`, json: { body }, effect: 'once' }, 'id created_at');
}
