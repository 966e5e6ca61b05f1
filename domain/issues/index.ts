export {
  ISSUE_STATUSES,
  type IssueStatus,
  MAX_COMMENTS,
  MAX_ISSUE_TEXT_CHARACTERS,
  MAX_LABEL_CHARACTERS,
  MAX_LABELS,
  MAX_TITLE_CHARACTERS,
} from './issue.ts';
export { commentText, ISSUE_DEFAULTS, issueLabels, issueText, issueTitle } from './issue-fields.ts';
export { describeIssueTask, MAX_TOLD_COMMENTS, type ToldComment, withoutMarks } from './task-of-issue.ts';
