/** The type of the workflow that reads the repository of a project. */
export const REFRESH_REPO_TREE = 'refreshRepoTree';

export interface RefreshRepoTreeInput {
  readonly orgId: string;
  readonly projectId: string;
}

/** Returns the workflow's id: a repository is read once at a time. */
export function refreshRepoTreeId({ orgId, projectId }: RefreshRepoTreeInput): string {
  return `repo-tree/${orgId}/${projectId}`;
}
