import { repoPath } from './repo-parameter.ts';

/** What is shown of a run of a workflow. */
export const RUN = [
  'id',
  'name',
  'display_title',
  'run_number',
  'run_attempt',
  'event',
  'status',
  'conclusion',
  'head_branch',
  'head_sha',
  'html_url',
  'created_at',
  'updated_at',
];

/** Returns the path of a run in the API. */
export function runPath({ repo, run_id: id }: { readonly repo: string; readonly run_id: number }): string {
  return `${repoPath(repo)}/actions/runs/${id}`;
}
