import { createHash } from 'node:crypto';
import type { RemoteComment, RemoteIssue } from '../../domain/issue-sync/index.ts';
import type { CodeHost } from '../code-hosts/index.ts';

/** A part of a list, by records that were read before it and by those that are asked for. */
export interface Part {
  /** Since when what has changed is listed; null for everything. */
  readonly since: string | null;
  readonly offset: number;
  readonly size: number;
  /** The ETag of a former answer to the same. */
  readonly etag?: string | undefined;
}

/** A page of a list. */
export interface SourcePage<T> {
  readonly records: readonly T[];
  /** The records of the page, those included that are none of these. */
  readonly count: number;
  /** How many of them cannot be stored. */
  readonly skipped?: number;
  readonly hasNext: boolean;
  /** What tells it from other pages. */
  readonly digest: string;
  /** When the last record was changed, where the host lists records in the order of their changes. */
  readonly lastChange: Date | undefined;
  /** The latest change of any record; undefined for an empty page. */
  readonly latest: Date | undefined;
  readonly etag: string | undefined;
  /** How long the host wants to be left alone after it. */
  readonly pauseMs: number;
}

/** How a kind of code hosts tells of issues and comments. */
export interface IssueSource {
  /** Records of a page, at most. */
  readonly pageSize: number;
  /** Returns undefined when nothing has changed since the answer with the ETag. */
  listIssues(host: CodeHost, part: Part): Promise<SourcePage<RemoteIssue> | undefined>;
  /** Lists the comments on all issues of the repository; absent when the host lists those of one issue only. */
  readonly listComments?: (host: CodeHost, part: Part) => Promise<SourcePage<RemoteComment>>;
  /** Lists the comments on one issue, oldest first. */
  readonly listCommentsOn?: (
    host: CodeHost,
    issueNumber: number,
    part: Omit<Part, 'since' | 'etag'>,
  ) => Promise<SourcePage<RemoteComment>>;
}

/** The bytes of an answer, at most. A page that is larger is asked for in parts. */
export const MAX_PAGE_BYTES = 8 * 1024 ** 2;

/** Returns the number of a page, which hosts count from 1. */
export function pageNumber({ offset, size }: Pick<Part, 'offset' | 'size'>): number {
  return Math.floor(offset / size) + 1;
}

/** Returns what tells a page from others: the ids of its records, and when they were changed. */
export function digestOf(records: readonly { readonly id: number; readonly updated_at: Date }[]): string {
  const hash = createHash('sha256');
  for (const { id, updated_at: at } of records) hash.update(`${id} ${at.getTime()} `);
  return hash.digest('base64url');
}

/** Returns the latest of some times. */
export function latestOf(times: readonly Date[]): Date | undefined {
  return times.length === 0 ? undefined : new Date(Math.max(...times.map((time) => time.getTime())));
}
