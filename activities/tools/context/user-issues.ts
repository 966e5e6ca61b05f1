import type { Listed } from '../../../db/core/index.ts';
import type { IssueChanges, IssueComment, IssueFilter, NewIssue, ShownIssue } from '../../../db/issues/index.ts';

/**
 * The issues that the user of a call may see and change, by the operations of the routes. Throws `ToolFailure` with a
 * message for the model.
 */
export interface UserIssues {
  /** Returns the project of the chat that the call works for; undefined when it is in none. */
  projectOfChat(): Promise<string | undefined>;
  /** Returns the names of the projects that the user may see, at most so many. */
  listProjects(limit: number): Promise<readonly { readonly id: string; readonly name: string }[]>;
  list(filter: IssueFilter, limit: number): Promise<Listed<ShownIssue>>;
  get(id: string): Promise<ShownIssue>;
  listComments(issueId: string, limit: number): Promise<Listed<IssueComment>>;
  /** Adds an issue under an id; the same id again adds nothing and returns the stored one. */
  create(id: string, fields: NewIssue): Promise<ShownIssue>;
  /** Changes the given fields only. */
  update(id: string, changes: IssueChanges): Promise<ShownIssue>;
  /** Adds a comment under an id; the same id again adds nothing. */
  comment(id: string, comment: { issueId: string; content: string; isForeign: boolean }): Promise<void>;
}
