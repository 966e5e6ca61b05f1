import { projectPath } from './project-parameter.ts';

/** What is shown of a merge request. */
export const MERGE_REQUEST = [
  'iid',
  'title',
  'state',
  'draft',
  'author.username',
  'labels',
  'source_branch',
  'target_branch',
  'sha',
  'detailed_merge_status',
  'merge_commit_sha',
  'web_url',
  'created_at',
  'updated_at',
];

/** Names a merge request. */
export interface NamedMergeRequest {
  readonly project: string;
  readonly iid: number;
}

/** Returns the path of a merge request in the API. */
export function mergeRequestPath({ project, iid }: NamedMergeRequest): string {
  return `${projectPath(project)}/merge_requests/${iid}`;
}
