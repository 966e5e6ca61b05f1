export { NewIssueForm } from './new-issue-form.tsx';
export { type Issue, useChangeIssue, useIssue, useNewestIssues } from './queries.ts';
export { IssueStatusBadge } from './status-badge.tsx';
export { useIssueWords } from './words.ts';
