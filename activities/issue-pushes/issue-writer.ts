import type { HostChanges, RemoteComment, RemoteIssue } from '../../domain/issue-sync/index.ts';
import type { CodeHost } from '../code-hosts/index.ts';

/** A page of the comments on an issue. */
interface CommentPage {
  readonly comments: readonly RemoteComment[];
  readonly hasNext: boolean;
}

/** How a kind of code hosts is told of changes of an issue. */
export interface IssueWriter {
  readIssue(host: CodeHost, number: number): Promise<RemoteIssue | undefined>;
  /** Tells of changes, in a way that may be repeated, and returns the issue after it. */
  changeIssue(host: CodeHost, number: number, changes: HostChanges): Promise<RemoteIssue | undefined>;
  addComment(host: CodeHost, number: number, body: string): Promise<RemoteComment | undefined>;
  /** Returns a page of the comments on an issue; pages count from 1. */
  listComments(host: CodeHost, number: number, page: number): Promise<CommentPage>;
}

/** The bytes of an answer about one issue or comment, at most. */
export const MAX_ANSWER_BYTES = 8 * 1024 ** 2;
