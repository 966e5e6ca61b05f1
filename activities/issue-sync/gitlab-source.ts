import {
  fromGitlabIssue,
  fromGitlabNote,
  gitlabIssueSchema,
  gitlabNoteSchema,
  isStorableNumber,
} from '../../domain/issue-sync/index.ts';
import { readJson } from '../code-hosts/index.ts';
import { digestOf, type IssueSource, latestOf, MAX_PAGE_BYTES, pageNumber } from './issue-source.ts';

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
