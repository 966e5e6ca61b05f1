/** The type of the workflow that keeps what is known of a project's repository up to date. */
export const REFRESH_REPO_TREE = 'refreshRepoTree';

export interface RefreshRepoTreeInput {
  readonly orgId: string;
  readonly projectId: string;
}

/** Returns the workflow's id: one for each project with a repository. */
export function refreshRepoTreeId({ orgId, projectId }: RefreshRepoTreeInput): string {
  return `repo-tree/${orgId}/${projectId}`;
}
