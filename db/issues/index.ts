export { addComment, deleteComment, getComment, type IssueComment, listComments, updateComment } from './comments.ts';
export { getIssue, type IssueActor, type IssueFilter, listIssues, type ShownIssue } from './read-issues.ts';
export type { Issue } from './issue.entity.ts';
export {
  lastComments,
  setIssueStatus,
  createIssue,
  deleteIssue,
  type IssueChanges,
  lockIssue,
  type NewIssue,
  updateIssue,
} from './write-issues.ts';
export {
  addSyncedComments,
  changeSyncedComments,
  removeSyncedComment,
  addSyncedIssues,
  changeSyncedIssues,
  lockSyncedIssues,
} from './synced-issues.ts';
