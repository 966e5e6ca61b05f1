import { createHash } from 'node:crypto';
import {
  fromGithubComment,
  fromGithubIssue,
  fromGitlabIssue,
  fromGitlabNote,
  githubCommentSchema,
  githubIssueSchema,
  gitlabIssueSchema,
  gitlabNoteSchema,
} from '../../domain/issue-sync/host-records.ts';
import type { ReadPage } from '../../domain/issue-sync/position.ts';
import { isStorableNumber, type RemoteComment, type RemoteIssue } from '../../domain/issue-sync/remote-records.ts';
import { type CodeHost, type HostAnswer, readJson } from '../code-hosts/code-host.ts';

/** A part of a list, by records that were read before it and by those that are asked for. */
interface Part {
  /** Since when what has changed is listed; null for everything. */
  readonly since: string | null;
  readonly offset: number;
  readonly size: number;
  /** The ETag of a former answer to the same. */
  readonly etag?: string | undefined;
}

/** A page of a list. */
export interface SourcePage<T> extends ReadPage {
  readonly records: readonly T[];
  /** How many of them cannot be stored. */
  readonly skipped?: number;
  /** The latest change of any record; undefined for an empty page. */
  readonly latest: Date | undefined;
  readonly etag: string | undefined;
  /** How long the host wants to be left alone after it. */
  readonly pauseMs: number;
}

/** Reads issues and comments from one kind of code hosts. */
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
const MAX_PAGE_BYTES = 8 * 1024 ** 2;

/** Returns the number of a page, which hosts count from 1. */
function pageNumber({ offset, size }: Pick<Part, 'offset' | 'size'>): number {
  return Math.floor(offset / size) + 1;
}

/** Returns the fingerprint of a page: the ids of its records, and when they were changed. */
function digestOf(records: readonly { readonly id: number; readonly updated_at: Date }[]): string {
  const hash = createHash('sha256');
  for (const { id, updated_at: at } of records) hash.update(`${id} ${at.getTime()} `);
  return hash.digest('base64url');
}

/** Returns the latest of some times. */
function latestOf(times: readonly Date[]): Date | undefined {
  return times.length === 0 ? undefined : new Date(Math.max(...times.map((time) => time.getTime())));
}

/** The differences of GitHub and Gitea, which share most of their API. */
interface Dialect {
  readonly pageSize: number;
  /** The parameter that says how many records a page has. */
  readonly sizeName: 'per_page' | 'limit';
  readonly issues: Readonly<Record<string, string>>;
  readonly comments: Readonly<Record<string, string>>;
  readonly isInOrder: boolean;
}

/** Lists issues and comments in the order of their changes. */
export const githubSource = sourceOf({
  pageSize: 100,
  sizeName: 'per_page',
  issues: { state: 'all', sort: 'updated', direction: 'asc' },
  comments: { sort: 'updated', direction: 'asc' },
  isInOrder: true,
});

/** Lists issues from the newest on, whenever they were changed. */
export const giteaSource = sourceOf({
  pageSize: 50,
  sizeName: 'limit',
  issues: { state: 'all', type: 'issues' },
  comments: {},
  isInOrder: false,
});

function sourceOf({ pageSize, sizeName, issues, comments, isInOrder }: Dialect): IssueSource {
  const ask = async (host: CodeHost, path: string, part: Part, query: Readonly<Record<string, string>>) =>
    host.request({
      path,
      query: { ...query, since: part.since ?? undefined, [sizeName]: part.size, page: pageNumber(part) },
      etag: part.etag,
      maxBytes: MAX_PAGE_BYTES,
    });
  const toPage = <R extends { readonly id: number; readonly updated_at: Date }, T>(
    answer: HostAnswer,
    records: readonly R[],
    convert: (record: R) => T | undefined,
  ): SourcePage<T> => {
    const changes = records.map(({ updated_at: at }) => at);
    return {
      records: records.flatMap((record) => convert(record) ?? []),
      count: records.length,
      digest: digestOf(records),
      hasNext: answer.hasNext,
      lastChange: isInOrder ? changes.at(-1) : undefined,
      latest: latestOf(changes),
      etag: answer.etag,
      pauseMs: answer.pauseMs,
    };
  };
  return {
    pageSize,
    listIssues: async (host, part) => {
      const answer = await ask(host, '/issues', part, issues);
      if (answer.status === 304) return undefined;
      const listed = readJson(host, answer, githubIssueSchema.array());
      const skipped = listed.filter(({ number }) => !isStorableNumber(number)).length;
      return { ...toPage(answer, listed, fromGithubIssue), skipped };
    },
    listComments: async (host, part) => {
      const answer = await ask(host, '/issues/comments', part, comments);
      return toPage(answer, readJson(host, answer, githubCommentSchema.array()), (comment) =>
        fromGithubComment(comment),
      );
    },
  };
}

/** Lists issues in the order of their changes, and the comments of one issue after the other. */
export const gitlabSource: IssueSource = {
  pageSize: 100,
  listIssues: async (host, part) => {
    const answer = await host.request({
      path: '/issues',
      query: {
        state: 'all',
        scope: 'all',
        order_by: 'updated_at',
        sort: 'asc',
        updated_after: part.since ?? undefined,
        per_page: part.size,
        page: pageNumber(part),
      },
      etag: part.etag,
      maxBytes: MAX_PAGE_BYTES,
    });
    if (answer.status === 304) return undefined;
    const issues = readJson(host, answer, gitlabIssueSchema.array());
    const changes = issues.map(({ updated_at: at }) => at);
    return {
      records: issues.flatMap((issue) => fromGitlabIssue(issue) ?? []),
      skipped: issues.filter(({ iid }) => !isStorableNumber(iid)).length,
      count: issues.length,
      digest: digestOf(issues),
      hasNext: answer.hasNext,
      lastChange: changes.at(-1),
      latest: latestOf(changes),
      etag: answer.etag,
      pauseMs: answer.pauseMs,
    };
  },
  listCommentsOn: async (host, issueNumber, part) => {
    const answer = await host.request({
      path: `/issues/${issueNumber}/notes`,
      query: { sort: 'asc', order_by: 'created_at', per_page: part.size, page: pageNumber(part) },
      maxBytes: MAX_PAGE_BYTES,
    });
    const notes = readJson(host, answer, gitlabNoteSchema.array());
    return {
      records: notes.flatMap((note) => fromGitlabNote(note, issueNumber) ?? []),
      count: notes.length,
      digest: digestOf(notes),
      hasNext: answer.hasNext,
      lastChange: undefined,
      latest: latestOf(notes.map(({ updated_at: at }) => at)),
      etag: undefined,
      pauseMs: answer.pauseMs,
    };
  },
};
