import { pickFields } from '../services/pick-fields.ts';
import type { ServiceCall } from '../services/service-tool.ts';
import { repoPath } from './repo-parameter.ts';

/** What is shown of an issue. */
export const ISSUE = [
  'number',
  'title',
  'state',
  'state_reason',
  'user.login',
  'labels.name',
  'assignees.login',
  'milestone.title',
  'comments',
  'html_url',
  'created_at',
  'updated_at',
];

/** Names an issue, or a pull request, which is one too. */
interface NamedIssue {
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
  const answer = await service.request({ method: 'POST', path, json: { body }, effect: 'once' });
  return pickFields(answer.json(), ['id', 'html_url']);
}
