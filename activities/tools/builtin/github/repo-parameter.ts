import { defineApiTool } from '../services/api-tool.ts';
import { z } from 'zod';
import { pathOf, type ServiceCall } from '../services/service-tool.ts';

/** Calls any route of GitHub's REST API. */
export const githubApi = defineApiTool({
  key: 'github_api',
  name: 'GitHub API',
  description:
    "Calls any route of GitHub's REST API, for what the other GitHub tools do not cover, such as `/repos/{owner}/{repo}/releases`.",
  category: 'github',
  kind: 'github',
});

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

/** The shown fields of an issue. */
export const ISSUE =
  'number title state state_reason user.login labels.name assignees.login milestone.title comments html_url created_at updated_at';

/** Names an issue, or a pull request, which is one too. */
export interface NamedIssue {
  readonly repo: string;
  readonly number: number;
}

/** Returns the path of an issue in the API. */
export function issuePath({ repo, number }: NamedIssue): string {
  return `${repoPath(repo)}/issues/${number}`;
}

/** Comments on an issue or a pull request. */
export async function commentOn(named: NamedIssue, body: string, { service }: ServiceCall): Promise<unknown> {
  const path = `${issuePath(named)}/comments`;
  return service.pick({ method: 'POST', path, json: { body }, effect: 'once' }, 'id html_url');
}
