import { z } from 'zod';
import type { CodeHostKind } from '../projects.ts';
import {
  cleanLabels,
  cleanName,
  cleanText,
  cleanTitle,
  cleanUrl,
  idField,
  numberField,
  type RemoteComment,
  type RemoteIssue,
  timeField,
} from './remote-records.ts';
import { fromGithubComment, fromGithubIssue, githubCommentSchema, githubIssueSchema } from './host-records.ts';

/** What a code host reports by its webhook: the records as they are now, or that they are gone. */
export interface HostEvent {
  readonly issue?: RemoteIssue;
  readonly goneIssue?: RemoteIssue;
  readonly comment?: RemoteComment;
  readonly goneComment?: RemoteComment;
}

/** A delivery of a webhook, as far as it is read. */
interface Delivery {
  readonly kind: CodeHostKind;
  /** The name of the event, from the header. */
  readonly event: string;
  readonly payload: unknown;
}

const GONE: ReadonlySet<string> = new Set(['deleted', 'transferred']);

const githubPayload = z.object({
  action: z.string().optional(),
  issue: githubIssueSchema,
  comment: githubCommentSchema.optional(),
});

const user = z.object({ username: z.string() }).nullish();

const gitlabIssuePayload = z.object({
  user,
  object_attributes: z.object({
    id: idField,
    iid: numberField,
    title: z.string(),
    description: z.string().nullish(),
    state: z.enum(['opened', 'closed']),
    url: z.string().nullish(),
    action: z.string().nullish(),
    created_at: timeField,
    updated_at: timeField,
  }),
  labels: z.array(z.object({ title: z.string() })).nullish(),
});

const gitlabNotePayload = z.object({
  user,
  object_attributes: z.object({
    id: idField,
    note: z.string().nullish(),
    noteable_type: z.string(),
    system: z.boolean().nullish(),
    url: z.string().nullish(),
    action: z.string().nullish(),
    created_at: timeField,
    updated_at: timeField,
  }),
  issue: z.object({ iid: numberField }).nullish(),
});

/** Reads the issues and comments of a delivery; undefined when it reports something else, or nothing known. */
export function readHostEvent(delivery: Delivery): HostEvent | undefined {
  return delivery.kind === 'gitlab' ? readGitlab(delivery) : readGithub(delivery);
}

// Gitea sends the same, under several names for issues.
function readGithub({ event, payload }: Delivery): HostEvent | undefined {
  if (!event.startsWith('issue')) return undefined;
  const read = githubPayload.safeParse(payload);
  const issue = read.data && fromGithubIssue(read.data.issue);
  if (read.data === undefined || issue === undefined) return undefined;
  const { action, comment: written } = read.data;
  const isGone = GONE.has(action ?? '');
  if (written === undefined) return isGone ? { goneIssue: issue } : { issue };
  const comment = fromGithubComment(written, issue.number);
  if (comment === undefined) return { issue };
  return isGone ? { issue, goneComment: comment } : { issue, comment };
}

function readGitlab({ event, payload }: Delivery): HostEvent | undefined {
  if (event.endsWith('Issue Hook')) {
    const issue = readGitlabIssue(payload);
    return issue && { issue };
  }
  const comment = event.endsWith('Note Hook') ? readGitlabNote(payload) : undefined;
  return comment && { comment };
}

function readGitlabIssue(payload: unknown): RemoteIssue | undefined {
  const { data } = gitlabIssuePayload.safeParse(payload);
  if (data === undefined) return undefined;
  const { object_attributes: issue, labels } = data;
  return {
    externalId: String(issue.id),
    number: issue.iid,
    title: cleanTitle(issue.title),
    description: cleanText(issue.description),
    state: issue.state === 'opened' ? 'open' : 'done',
    labels: cleanLabels((labels ?? []).map(({ title }) => title)),
    // The user is the actor, who is the author only when the issue is new.
    author: issue.action === 'open' ? cleanName(data.user?.username) : undefined,
    url: cleanUrl(issue.url),
    createdAt: issue.created_at,
    updatedAt: issue.updated_at,
    hasComments: false,
  };
}

function readGitlabNote(payload: unknown): RemoteComment | undefined {
  const { data } = gitlabNotePayload.safeParse(payload);
  const { issue, object_attributes: note } = data ?? {};
  if (issue == null || note?.noteable_type !== 'Issue' || note.system === true) return undefined;
  return {
    externalId: String(note.id),
    issueNumber: issue.iid,
    content: cleanText(note.note),
    author: cleanName(data?.user?.username),
    url: cleanUrl(note.url),
    createdAt: note.created_at,
    updatedAt: note.updated_at,
  };
}

const repositoryPayload = z.object({
  repository: z.object({ id: z.int(), full_name: z.string() }).optional(),
  project: z.object({ id: z.int(), path_with_namespace: z.string() }).optional(),
});

/** The repository that a delivery is about: its id at the host, and its path in lower case. */
export function repositoryIn(payload: unknown): { readonly repoId: string; readonly path: string } | undefined {
  const { repository, project } = repositoryPayload.safeParse(payload).data ?? {};
  if (repository !== undefined) return { repoId: String(repository.id), path: repository.full_name.toLowerCase() };
  if (project === undefined) return undefined;
  return { repoId: String(project.id), path: project.path_with_namespace.toLowerCase() };
}
