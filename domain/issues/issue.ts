/** The statuses of an issue, in the order of a board. */
export const ISSUE_STATUSES = ['backlog', 'todo', 'in_progress', 'in_review', 'done', 'cancelled'] as const;
export type IssueStatus = (typeof ISSUE_STATUSES)[number];

/** Limits on what an issue holds. */
export const MAX_LABELS = 20;
export const MAX_LABEL_CHARACTERS = 50;
export const MAX_TITLE_CHARACTERS = 300;
/** Of a description and of a comment: code hosts allow as much. */
export const MAX_ISSUE_TEXT_CHARACTERS = 65_536;
/** Of an issue, those of agents and of code hosts among them. */
export const MAX_COMMENTS = 5_000;
