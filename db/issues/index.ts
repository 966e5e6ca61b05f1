export { addComment, deleteComment, getComment, type IssueComment, listComments } from './comments.ts';
export { getIssue, type IssueFilter, listIssues, type ShownIssue } from './read-issues.ts';
export { createIssue, deleteIssue, type IssueChanges, type NewIssue, updateIssue } from './write-issues.ts';
