import {
  fromGithubComment,
  fromGithubIssue,
  githubCommentSchema,
  githubIssueSchema,
  isStorableNumber,
} from '../../domain/issue-sync/index.ts';
import { type CodeHost, type HostAnswer, readJson } from '../code-hosts/index.ts';
import {
  digestOf,
  type IssueSource,
  latestOf,
  MAX_PAGE_BYTES,
  pageNumber,
  type Part,
  type SourcePage,
} from './issue-source.ts';

/** What GitHub and Gitea call differently in what they have in common. */
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
      const told = readJson(host, answer, githubIssueSchema.array());
      const skipped = told.filter(({ number }) => !isStorableNumber(number)).length;
      return { ...toPage(answer, told, fromGithubIssue), skipped };
    },
    listComments: async (host, part) => {
      const answer = await ask(host, '/issues/comments', part, comments);
      return toPage(answer, readJson(host, answer, githubCommentSchema.array()), (comment) =>
        fromGithubComment(comment),
      );
    },
  };
}
