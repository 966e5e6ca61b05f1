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

const recordFields = { id: idField, created_at: timeField, updated_at: timeField };

const kept = ({ id, created_at: createdAt, updated_at: updatedAt }: z.output<z.ZodObject<typeof recordFields>>) => ({
  externalId: String(id),
  createdAt,
  updatedAt,
});

const account = z.object({ login: z.string() }).nullish();

/** An issue of GitHub or Gitea, which write it alike. A pull request is one, too. */
export const githubIssueSchema = z.object({
  ...recordFields,
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
});

/** A comment of GitHub or Gitea on an issue or a pull request. */
export const githubCommentSchema = z.object({
  ...recordFields,
  body: z.string().nullish(),
  user: account,
  html_url: z.string().nullish(),
  issue_url: z.string().nullish(),
  pull_request_url: z.string().nullish(),
});

type GithubIssue = z.output<typeof githubIssueSchema>;
type GithubComment = z.output<typeof githubCommentSchema>;

/** Returns the issue; undefined for a pull request, and for a number that cannot be stored. */
export function fromGithubIssue(issue: GithubIssue): RemoteIssue | undefined {
  if (issue.pull_request !== undefined && issue.pull_request !== null) return undefined;
  if (!isStorableNumber(issue.number)) return undefined;
  const labels = (issue.labels ?? []).map((label) => (typeof label === 'string' ? label : (label.name ?? '')));
  return {
    ...kept(issue),
    number: issue.number,
    title: cleanTitle(issue.title),
    description: cleanText(issue.body),
    state: stateOf(issue),
    labels: cleanLabels(labels),
    author: cleanName(issue.user?.login),
    url: cleanUrl(issue.html_url),
    hasComments: (issue.comments ?? 0) > 0,
  };
}

/** Returns the comment; undefined when it names no issue, such as one on a pull request of Gitea. */
export function fromGithubComment(comment: GithubComment, ofIssue?: number): RemoteComment | undefined {
  const issueNumber = ofIssue ?? numberIn(comment.issue_url);
  if (issueNumber === undefined) return undefined;
  return {
    ...kept(comment),
    issueNumber,
    content: cleanText(comment.body),
    author: cleanName(comment.user?.login),
    url: cleanUrl(comment.html_url),
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

const gitlabAccount = z.object({ username: z.string() }).nullish();

/** An issue of GitLab. */
export const gitlabIssueSchema = z.object({
  ...recordFields,
  iid: listedNumberField,
  title: z.string(),
  description: z.string().nullish(),
  state: z.enum(['opened', 'closed']),
  labels: z.array(z.string()).nullish(),
  author: gitlabAccount,
  web_url: z.string().nullish(),
  user_notes_count: z.int().nullish(),
});

/** A note of GitLab on an issue: a comment, or what the system has noted. */
export const gitlabNoteSchema = z.object({
  ...recordFields,
  body: z.string().nullish(),
  author: gitlabAccount,
  system: z.boolean().nullish(),
});

/** Returns the issue; undefined for a number that cannot be stored. */
export function fromGitlabIssue(issue: z.output<typeof gitlabIssueSchema>): RemoteIssue | undefined {
  if (!isStorableNumber(issue.iid)) return undefined;
  return {
    ...kept(issue),
    number: issue.iid,
    title: cleanTitle(issue.title),
    description: cleanText(issue.description),
    state: issue.state === 'opened' ? 'open' : 'done',
    labels: cleanLabels(issue.labels ?? []),
    author: cleanName(issue.author?.username),
    url: cleanUrl(issue.web_url),
    hasComments: (issue.user_notes_count ?? 0) > 0,
  };
}

/** Returns the comment on the issue of this number; undefined for what the system has noted. */
export function fromGitlabNote(
  note: z.output<typeof gitlabNoteSchema>,
  issueNumber: number,
): RemoteComment | undefined {
  if (note.system === true) return undefined;
  return {
    ...kept(note),
    issueNumber,
    content: cleanText(note.body),
    author: cleanName(note.author?.username),
    url: null,
  };
}
