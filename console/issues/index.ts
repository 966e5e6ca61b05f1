export { NewIssueForm } from './new-issue-form.tsx';
export { type Issue, useChangeIssue, useIssue, useNewestIssues } from './queries.ts';
export { IssueStatusBadge, useIssueWords } from './status-badge.tsx';
