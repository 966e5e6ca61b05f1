/** The type of the workflow that reads the issues of a project from its code host. */
export const SYNC_ISSUES = 'syncIssues';

export interface SyncIssuesInput {
  readonly orgId: string;
  readonly projectId: string;
  readonly syncId: string;
}

/** Whether a sync has ended, and how long to wait before it goes on. Its row says what came of it. */
export interface SyncStepsResult {
  readonly hasEnded: boolean;
  readonly waitMs: number;
}

/** Returns the workflow's id: one for each sync, of which a project has one at a time. */
export function syncIssuesId({ orgId, projectId, syncId }: SyncIssuesInput): string {
  return `issue-sync/${orgId}/${projectId}/${syncId}`;
}
