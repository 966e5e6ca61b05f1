/** The type of the workflow that tells the code host of a project what was changed here. */
export const PUSH_ISSUES = 'pushIssues';

export interface PushIssuesInput {
  readonly orgId: string;
  readonly projectId: string;
}

/** Whether everything was told, and how long to wait before the rest. */
export interface PushIssuesResult {
  readonly hasEnded: boolean;
  readonly waitMs: number;
}

/** Returns the workflow's id: a project tells one thing after the other. */
export function pushIssuesId({ orgId, projectId }: PushIssuesInput): string {
  return `issue-push/${orgId}/${projectId}`;
}
