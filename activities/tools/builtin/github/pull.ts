import { repoPath } from './repo-parameter.ts';

/** What is shown of a pull request. */
export const PULL = [
  'number',
  'title',
  'state',
  'draft',
  'merged',
  'user.login',
  'labels.name',
  'head.label',
  'head.sha',
  'base.ref',
  'html_url',
  'created_at',
  'updated_at',
];

/** Names a pull request. */
export interface NamedPull {
  readonly repo: string;
  readonly number: number;
}

/** Returns the path of a pull request in the API. */
export function pullPath({ repo, number }: NamedPull): string {
  return `${repoPath(repo)}/pulls/${number}`;
}
