import { cancellationSignal } from '@temporalio/activity';
import { z } from 'zod';
import type { Database } from '../db/core/database.ts';
import { withOrgTransaction } from '../db/core/transactions.ts';
import { beginPush, endPush, nextPush, parkPush, type Push, readPushedIssue } from '../db/issue-pushes.ts';
import { type HostedProject, storeIssues } from '../db/issue-sync/store-issues.ts';
import { storeComments } from '../db/issue-sync/store-comments.ts';
import type { ProjectRef } from '../db/projects/projects.ts';
import { AppError } from '../domain/core/app-error.ts';
import type { WorkOf } from '../domain/core/due-work.ts';
import {
  fromGithubComment,
  fromGithubIssue,
  fromGitlabIssue,
  fromGitlabNote,
  githubCommentSchema,
  githubIssueSchema,
  gitlabIssueSchema,
  gitlabNoteSchema,
} from '../domain/issue-sync/host-records.ts';
import { type HostChanges, hostChangesOf } from '../domain/issue-sync/merge-fields.ts';
import {
  hostKeyOf,
  markedId,
  type RemoteComment,
  type RemoteIssue,
  withMarker,
} from '../domain/issue-sync/remote-records.ts';
import type { StepsResult } from '../workflows/due-work/contract.ts';
import { type CodeHost, CodeHostError, readJson } from './code-hosts/code-host.ts';
import { type CodeHostDeps, hostSlots, withCodeHost } from './code-hosts/with-code-host.ts';
import { isPassing } from './core/passing-error.ts';

/** The dependencies of sending changes to code hosts. */
export interface IssuePushDeps extends CodeHostDeps {
  readonly database: Database;
}

/** How long one activity runs. */
const BUDGET_MS = 20_000;

/** The pauses after failures of a host, the last of which is repeated, and how many tries something is worth. */
const BACKOFF_MS = [2_000, 5_000, 15_000, 60_000, 300_000] as const;
const MAX_ATTEMPTS = 15;

/** How many tries that end with an unexpected error, each of which is logged. */
const MAX_FAULTS = 5;
const FAULT = 'Updating the code host failed repeatedly because of an internal error';

/** How many pages of comments are searched for one: as many as the comments that an issue may have here fill. */
const MAX_PAGES = 50;
const ELSEWHERE = 'The issue is not known to be in the repository that the project has now; sync the issues first';

/** The bytes of an answer about one issue or comment, at most. */
const MAX_ANSWER_BYTES = 8 * 1024 ** 2;

/** Sends changes to GitHub. */
const githubWriter: IssueWriter = writerOf(async (host, path, labels) => {
  for (const label of labels)
    await unlessGone(async () =>
      host.request({
        method: 'DELETE',
        path: `${path}/labels/${encodeURIComponent(label)}`,
        maxBytes: MAX_ANSWER_BYTES,
      }),
    );
});

const labelsSchema = z.array(z.object({ id: z.int(), name: z.string() }));

/** Sends changes to Gitea, which identifies labels to remove by their ids only. */
const giteaWriter: IssueWriter = writerOf(async (host, path, labels) => {
  const there = readJson(
    host,
    await host.request({ path: `${path}/labels`, maxBytes: MAX_ANSWER_BYTES }),
    labelsSchema,
  );
  for (const { id } of there.filter(({ name }) => labels.includes(name)))
    await unlessGone(async () =>
      host.request({ method: 'DELETE', path: `${path}/labels/${id}`, maxBytes: MAX_ANSWER_BYTES }),
    );
});

/** Sends changes to GitLab. */
const gitlabWriter: IssueWriter = {
  readIssue: async (host, number) =>
    fromGitlabIssue(
      readJson(host, await host.request({ path: `/issues/${number}`, maxBytes: MAX_ANSWER_BYTES }), gitlabIssueSchema),
    ),
  changeIssue: async (host, number, { title, state, addedLabels, removedLabels }) => {
    const body = {
      ...(title !== undefined && { title }),
      ...(state !== undefined && { state_event: state === 'open' ? 'reopen' : 'close' }),
      ...(addedLabels.length > 0 && { add_labels: addedLabels.join(',') }),
      ...(removedLabels.length > 0 && { remove_labels: removedLabels.join(',') }),
    };
    const answer = await host.request({ method: 'PUT', path: `/issues/${number}`, body, maxBytes: MAX_ANSWER_BYTES });
    return fromGitlabIssue(readJson(host, answer, gitlabIssueSchema));
  },
  addComment: async (host, number, text) => {
    const path = `/issues/${number}/notes`;
    const answer = await host.request({ method: 'POST', path, body: { body: text }, maxBytes: MAX_ANSWER_BYTES });
    return fromGitlabNote(readJson(host, answer, gitlabNoteSchema), number);
  },
  listComments: async (host, number, page) => {
    const query = { sort: 'desc', order_by: 'created_at', per_page: 100, page };
    const answer = await host.request({ path: `/issues/${number}/notes`, query, maxBytes: MAX_ANSWER_BYTES });
    const notes = readJson(host, answer, gitlabNoteSchema.array());
    return { comments: notes.flatMap((note) => fromGitlabNote(note, number) ?? []), hasNext: answer.hasNext };
  },
};

const WRITERS: Readonly<Record<CodeHost['kind'], IssueWriter>> = {
  github: githubWriter,
  gitlab: gitlabWriter,
  gitea: giteaWriter,
};

/**
 * Creates the activity that sends local changes to a project's code host, one after the other. The changes are in the
 * rows; the history learns only whether there are more, and how long to wait.
 */
export function createTellHost(deps: IssuePushDeps) {
  return async function tellHost(input: WorkOf<'issue-push'>): Promise<StepsResult> {
    const signal = cancellationSignal();
    return hostSlots.run(deps.database, input.orgId, async () => sendNext(deps, input, signal));
  };
}

/** Sends pending changes for some time. */
export async function sendNext(deps: IssuePushDeps, project: ProjectRef, signal: AbortSignal): Promise<StepsResult> {
  const end = performance.now() + BUDGET_MS;
  while (!signal.aborted && performance.now() < end) {
    const push = await nextPush(deps.database, project);
    if (push === undefined) return { hasEnded: true, waitMs: 0 };
    await beginPush(deps.database, project.orgId, push);
    const waitMs = await send(deps, project, push, signal);
    if (waitMs > 0) return { hasEnded: false, waitMs };
  }
  return { hasEnded: false, waitMs: 0 };
}

/** Sends one change. Returns how long to wait before it is tried again; 0 when it was sent or refused. */
async function send(deps: IssuePushDeps, project: ProjectRef, push: Push, signal: AbortSignal): Promise<number> {
  const { database } = deps;
  const { repoId, repoUrl } = push;
  // The issue of the same number is another one there.
  if (repoId === null) return park(database, project, push, ELSEWHERE);
  try {
    await withCodeHost(deps, project, signal, async (host, { url }) => {
      if (url !== repoUrl) throw new CodeHostError('unsent', ELSEWHERE);
      const hosted = { ...project, host: hostKeyOf(url), repoId };
      if (push.comment === null) await sendChanges(database, hosted, host, push);
      else await sendComment(database, hosted, host, push, push.comment);
    });
  } catch (error) {
    const waitMs = waitAfter(error, push);
    if (waitMs !== undefined) return waitMs;
    if (error instanceof CodeHostError || error instanceof AppError)
      return park(database, project, push, error.message);
    if (signal.aborted || isPassing(error) || push.attempts < MAX_FAULTS) throw error;
    return park(database, project, push, FAULT);
  }
  await endPush(database, project.orgId, push);
  return 0;
}

async function park(database: Database, { orgId }: ProjectRef, push: Push, error: string): Promise<number> {
  await parkPush(database, orgId, push, error);
  return 0;
}

function waitAfter(error: unknown, { attempts }: Push): number | undefined {
  if (!(error instanceof CodeHostError)) return undefined;
  if (error.waitMs !== undefined) return error.waitMs;
  if (error.kind !== 'unavailable' || attempts >= MAX_ATTEMPTS) return undefined;
  return BACKOFF_MS[Math.min(attempts, BACKOFF_MS.length - 1)];
}

// What the host has changed in the meantime is applied first: where both sides changed, its value counts.
async function sendChanges(database: Database, project: HostedProject, host: CodeHost, push: Push): Promise<void> {
  const { readIssue, changeIssue } = WRITERS[host.kind];
  const { orgId } = project;
  const store = async (issue: RemoteIssue | undefined) => {
    if (issue !== undefined) await withOrgTransaction(database, orgId, async (em) => storeIssues(em, project, [issue]));
  };
  await store(await readIssue(host, push.number));
  const issue = await readPushedIssue(database, orgId, push.issueId);
  const changes = issue && hostChangesOf(issue, issue.remote);
  if (changes !== undefined) await store(await changeIssue(host, push.number, changes));
}

/** Searches for a comment of ours among those on an issue. */
async function findWritten(host: CodeHost, number: number, id: string): Promise<RemoteComment | undefined> {
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const { comments, hasNext } = await WRITERS[host.kind].listComments(host, number, page);
    const written = comments.find((comment) => markedId(comment.content) === id);
    if (written !== undefined || !hasNext) return written;
  }
  return undefined;
}

async function sendComment(
  database: Database,
  project: HostedProject,
  host: CodeHost,
  { number, attempts }: Push,
  { id, content }: NonNullable<Push['comment']>,
): Promise<void> {
  const { addComment } = WRITERS[host.kind];
  // An earlier try may have written it, and died before it could note so.
  const written = attempts === 0 ? undefined : await findWritten(host, number, id);
  const comment = written ?? (await addComment(host, number, withMarker(content, id)));
  if (comment === undefined) return;
  await withOrgTransaction(database, project.orgId, async (em) => storeComments(em, project, [comment]));
}

/** A page of the comments on an issue. */
interface CommentPage {
  readonly comments: readonly RemoteComment[];
  readonly hasNext: boolean;
}

/** How changes of an issue are written to a kind of code hosts. */
interface IssueWriter {
  readIssue(host: CodeHost, number: number): Promise<RemoteIssue | undefined>;
  /** Writes changes, in a way that may be repeated, and returns the issue after it. */
  changeIssue(host: CodeHost, number: number, changes: HostChanges): Promise<RemoteIssue | undefined>;
  addComment(host: CodeHost, number: number, body: string): Promise<RemoteComment | undefined>;
  /** Returns a page of the comments on an issue; pages count from 1. */
  listComments(host: CodeHost, number: number, page: number): Promise<CommentPage>;
}

type RemoveLabels = (host: CodeHost, path: string, labels: readonly string[]) => Promise<void>;

function writerOf(removeLabels: RemoveLabels): IssueWriter {
  const readIssue: IssueWriter['readIssue'] = async (host, number) =>
    fromGithubIssue(
      readJson(host, await host.request({ path: `/issues/${number}`, maxBytes: MAX_ANSWER_BYTES }), githubIssueSchema),
    );
  return {
    readIssue,
    changeIssue: async (host, number, changes) => {
      const path = `/issues/${number}`;
      const { addedLabels: labels, removedLabels } = changes;
      const body = bodyOf(host, changes);
      if (Object.keys(body).length > 0) await host.request({ method: 'PATCH', path, body, maxBytes: MAX_ANSWER_BYTES });
      if (labels.length > 0)
        await host.request({ method: 'POST', path: `${path}/labels`, body: { labels }, maxBytes: MAX_ANSWER_BYTES });
      if (removedLabels.length > 0) await removeLabels(host, path, removedLabels);
      return readIssue(host, number);
    },
    addComment: async (host, number, text) => {
      const path = `/issues/${number}/comments`;
      const answer = await host.request({ method: 'POST', path, body: { body: text }, maxBytes: MAX_ANSWER_BYTES });
      return fromGithubComment(readJson(host, answer, githubCommentSchema), number);
    },
    listComments: async (host, number, page) => {
      const path = `/issues/${number}/comments`;
      const answer = await host.request({ path, query: { per_page: 100, page }, maxBytes: MAX_ANSWER_BYTES });
      const comments = readJson(host, answer, githubCommentSchema.array());
      return {
        comments: comments.flatMap((comment) => fromGithubComment(comment, number) ?? []),
        hasNext: answer.hasNext,
      };
    },
  };
}

// GitHub alone keeps why an issue was closed.
function bodyOf({ kind }: CodeHost, { title, state }: HostChanges): Record<string, unknown> {
  const reason = state === 'dropped' ? 'not_planned' : 'completed';
  return {
    ...(title !== undefined && { title }),
    ...(state !== undefined && { state: state === 'open' ? 'open' : 'closed' }),
    ...(kind === 'github' && state !== undefined && { state_reason: state === 'open' ? 'reopened' : reason }),
  };
}

// A record to remove may be gone already.
async function unlessGone(remove: () => Promise<unknown>): Promise<void> {
  try {
    await remove();
  } catch (error) {
    if (!(error instanceof CodeHostError && error.kind === 'not_found')) throw error;
  }
}
