import { z } from 'zod';
import {
  cleanLabels,
  cleanName,
  cleanText,
  cleanTitle,
  cleanUrl,
  idField,
  isStorableNumber,
  listedNumberField,
  numberOf,
  type RemoteComment,
  type RemoteIssue,
  type RemoteState,
  timeField,
} from './remote-records.ts';

const account = z.object({ login: z.string() }).nullish();

/** An issue of GitHub or Gitea, which write it alike. A pull request is one, too. */
export const githubIssueSchema = z.object({
  id: idField,
  number: listedNumberField,
  title: z.string(),
  body: z.string().nullish(),
  state: z.enum(['open', 'closed']),
  state_reason: z.string().nullish(),
  labels: z.array(z.union([z.string(), z.object({ name: z.string().nullish() })])).nullish(),
  user: account,
  html_url: z.string().nullish(),
  comments: z.int().nullish(),
  pull_request: z.unknown().optional(),
  created_at: timeField,
  updated_at: timeField,
});

/** A comment of GitHub or Gitea on an issue or a pull request. */
export const githubCommentSchema = z.object({
  id: idField,
  body: z.string().nullish(),
  user: account,
  html_url: z.string().nullish(),
  issue_url: z.string().nullish(),
  pull_request_url: z.string().nullish(),
  created_at: timeField,
  updated_at: timeField,
});

type GithubIssue = z.output<typeof githubIssueSchema>;
type GithubComment = z.output<typeof githubCommentSchema>;

/** Returns the issue; undefined for a pull request, and for a number that cannot be stored. */
export function fromGithubIssue(issue: GithubIssue): RemoteIssue | undefined {
  if (issue.pull_request !== undefined && issue.pull_request !== null) return undefined;
  if (!isStorableNumber(issue.number)) return undefined;
  const labels = (issue.labels ?? []).map((label) => (typeof label === 'string' ? label : (label.name ?? '')));
  return {
    externalId: String(issue.id),
    number: issue.number,
    title: cleanTitle(issue.title),
    description: cleanText(issue.body),
    state: stateOf(issue),
    labels: cleanLabels(labels),
    author: cleanName(issue.user?.login),
    url: cleanUrl(issue.html_url),
    createdAt: issue.created_at,
    updatedAt: issue.updated_at,
    hasComments: (issue.comments ?? 0) > 0,
  };
}

/**
 * Returns the comment; undefined when it says of no issue that it belongs to it, such as one on a pull request of
 * Gitea.
 */
export function fromGithubComment(comment: GithubComment, ofIssue?: number): RemoteComment | undefined {
  const issueNumber = ofIssue ?? numberIn(comment.issue_url);
  if (issueNumber === undefined) return undefined;
  return {
    externalId: String(comment.id),
    issueNumber,
    content: cleanText(comment.body),
    author: cleanName(comment.user?.login),
    url: cleanUrl(comment.html_url),
    createdAt: comment.created_at,
    updatedAt: comment.updated_at,
  };
}

function stateOf({ state, state_reason: reason }: GithubIssue): RemoteState {
  if (state === 'open') return 'open';
  return reason === 'not_planned' || reason === 'duplicate' ? 'dropped' : 'done';
}

// The last part of the address of an issue.
function numberIn(url: string | null | undefined): number | undefined {
  return numberOf(url?.slice(url.lastIndexOf('/') + 1) ?? '');
}
