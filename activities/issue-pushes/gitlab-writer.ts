import { fromGitlabIssue, fromGitlabNote, gitlabIssueSchema, gitlabNoteSchema } from '../../domain/issue-sync/index.ts';
import { readJson } from '../code-hosts/index.ts';
import { type IssueWriter, MAX_ANSWER_BYTES as maxBytes } from './issue-writer.ts';

/** Tells GitLab of changes. */
export const gitlabWriter: IssueWriter = {
  readIssue: async (host, number) =>
    fromGitlabIssue(readJson(host, await host.request({ path: `/issues/${number}`, maxBytes }), gitlabIssueSchema)),
  changeIssue: async (host, number, { title, state, addedLabels, removedLabels }) => {
    const body = {
      ...(title !== undefined && { title }),
      ...(state !== undefined && { state_event: state === 'open' ? 'reopen' : 'close' }),
      ...(addedLabels.length > 0 && { add_labels: addedLabels.join(',') }),
      ...(removedLabels.length > 0 && { remove_labels: removedLabels.join(',') }),
    };
    const answer = await host.request({ method: 'PUT', path: `/issues/${number}`, body, maxBytes });
    return fromGitlabIssue(readJson(host, answer, gitlabIssueSchema));
  },
  addComment: async (host, number, text) => {
    const path = `/issues/${number}/notes`;
    const answer = await host.request({ method: 'POST', path, body: { body: text }, maxBytes });
    return fromGitlabNote(readJson(host, answer, gitlabNoteSchema), number);
  },
  listComments: async (host, number, page) => {
    const query = { sort: 'desc', order_by: 'created_at', per_page: 100, page };
    const answer = await host.request({ path: `/issues/${number}/notes`, query, maxBytes });
    const notes = readJson(host, answer, gitlabNoteSchema.array());
    return { comments: notes.flatMap((note) => fromGitlabNote(note, number) ?? []), hasNext: answer.hasNext };
  },
};
