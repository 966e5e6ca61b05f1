import { z } from 'zod';
import {
  fromGithubComment,
  fromGithubIssue,
  githubCommentSchema,
  githubIssueSchema,
  type HostChanges,
} from '../../domain/issue-sync/index.ts';
import { type CodeHost, CodeHostError, readJson } from '../code-hosts/index.ts';
import { type IssueWriter, MAX_ANSWER_BYTES as maxBytes } from './issue-writer.ts';

/** Tells GitHub of changes. */
export const githubWriter: IssueWriter = writerOf(async (host, path, labels) => {
  for (const label of labels)
    await unlessGone(async () =>
      host.request({ method: 'DELETE', path: `${path}/labels/${encodeURIComponent(label)}`, maxBytes }),
    );
});

const labelsSchema = z.array(z.object({ id: z.int(), name: z.string() }));

/** Tells Gitea of changes. It knows the labels that are taken away by their ids only. */
export const giteaWriter: IssueWriter = writerOf(async (host, path, labels) => {
  const there = readJson(host, await host.request({ path: `${path}/labels`, maxBytes }), labelsSchema);
  for (const { id } of there.filter(({ name }) => labels.includes(name)))
    await unlessGone(async () => host.request({ method: 'DELETE', path: `${path}/labels/${id}`, maxBytes }));
});

type RemoveLabels = (host: CodeHost, path: string, labels: readonly string[]) => Promise<void>;

function writerOf(removeLabels: RemoveLabels): IssueWriter {
  const readIssue: IssueWriter['readIssue'] = async (host, number) =>
    fromGithubIssue(readJson(host, await host.request({ path: `/issues/${number}`, maxBytes }), githubIssueSchema));
  return {
    readIssue,
    changeIssue: async (host, number, changes) => {
      const path = `/issues/${number}`;
      const { addedLabels: labels, removedLabels } = changes;
      const body = bodyOf(host, changes);
      if (Object.keys(body).length > 0) await host.request({ method: 'PATCH', path, body, maxBytes });
      if (labels.length > 0) await host.request({ method: 'POST', path: `${path}/labels`, body: { labels }, maxBytes });
      if (removedLabels.length > 0) await removeLabels(host, path, removedLabels);
      return readIssue(host, number);
    },
    addComment: async (host, number, text) => {
      const path = `/issues/${number}/comments`;
      const answer = await host.request({ method: 'POST', path, body: { body: text }, maxBytes });
      return fromGithubComment(readJson(host, answer, githubCommentSchema), number);
    },
    listComments: async (host, number, page) => {
      const path = `/issues/${number}/comments`;
      const answer = await host.request({ path, query: { per_page: 100, page }, maxBytes });
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

// What is to be taken away may be gone already.
async function unlessGone(remove: () => Promise<unknown>): Promise<void> {
  try {
    await remove();
  } catch (error) {
    if (!(error instanceof CodeHostError && error.kind === 'not_found')) throw error;
  }
}
