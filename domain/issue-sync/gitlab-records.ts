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
  type RemoteComment,
  type RemoteIssue,
  timeField,
} from './remote-records.ts';

const account = z.object({ username: z.string() }).nullish();

/** An issue of GitLab. */
export const gitlabIssueSchema = z.object({
  id: idField,
  iid: listedNumberField,
  title: z.string(),
  description: z.string().nullish(),
  state: z.enum(['opened', 'closed']),
  labels: z.array(z.string()).nullish(),
  author: account,
  web_url: z.string().nullish(),
  user_notes_count: z.int().nullish(),
  created_at: timeField,
  updated_at: timeField,
});

/** A note of GitLab on an issue: a comment, or what the system has noted. */
export const gitlabNoteSchema = z.object({
  id: idField,
  body: z.string().nullish(),
  author: account,
  system: z.boolean().nullish(),
  created_at: timeField,
  updated_at: timeField,
});

/** Returns the issue; undefined for a number that cannot be stored. */
export function fromGitlabIssue(issue: z.output<typeof gitlabIssueSchema>): RemoteIssue | undefined {
  if (!isStorableNumber(issue.iid)) return undefined;
  return {
    externalId: String(issue.id),
    number: issue.iid,
    title: cleanTitle(issue.title),
    description: cleanText(issue.description),
    state: issue.state === 'opened' ? 'open' : 'done',
    labels: cleanLabels(issue.labels ?? []),
    author: cleanName(issue.author?.username),
    url: cleanUrl(issue.web_url),
    createdAt: issue.created_at,
    updatedAt: issue.updated_at,
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
    externalId: String(note.id),
    issueNumber,
    content: cleanText(note.body),
    author: cleanName(note.author?.username),
    url: null,
    createdAt: note.created_at,
    updatedAt: note.updated_at,
  };
}
