import { type ApiCall, answerJson, isSince, pageOf } from './api-call.ts';
import { writeTo } from './issue-writes.ts';
import type { World, WorldComment, WorldIssue } from './world.ts';

/** An issue as the REST API of GitLab (v4) writes it. */
function gitlabIssue(world: World, issue: WorldIssue): Record<string, unknown> {
  return {
    id: issue.id,
    iid: issue.number,
    project_id: world.repoId,
    title: issue.title,
    description: issue.body,
    state: issue.isOpen ? 'opened' : 'closed',
    labels: issue.labels,
    author: issue.author === null ? null : { id: 1, username: issue.author, name: 'Tanuki' },
    web_url: `https://gitlab.com/${world.path}/-/issues/${issue.number}`,
    user_notes_count: world.comments.filter(({ issueNumber, isSystem }) => issueNumber === issue.number && !isSystem)
      .length,
    issue_type: 'issue',
    confidential: false,
    created_at: issue.createdAt.toISOString(),
    updated_at: issue.updatedAt.toISOString(),
  };
}

/** Answers as the REST API of GitLab does for a project with issues. */
export function answerAsGitlab(world: World, call: ApiCall): void {
  const base = `/api/v4/projects/${world.path}`;
  if (call.path !== base && !call.path.startsWith(`${base}/`))
    return void call.response.writeHead(404).end('{"message":"404 Project Not Found"}');
  const rest = call.path.slice(base.length);
  if (rest === '') return answerJson(call, { id: world.repoId, path_with_namespace: world.path });
  if (rest === '/issues') {
    const wanted = world.issues.filter(({ updatedAt }) => isSince(call, 'updated_after', updatedAt));
    const inOrder = wanted.toSorted((one, other) => one.updatedAt.getTime() - other.updatedAt.getTime());
    return list(call, inOrder, (issue) => gitlabIssue(world, issue));
  }
  const { number, notes } = /^\/issues\/(?<number>\d+)(?<notes>\/notes)?$/.exec(rest)?.groups ?? {};
  const issue = world.issues.find((each) => each.number === Number(number));
  if (issue === undefined) return void call.response.writeHead(404).end('{"message":"404 Not found"}');
  if (notes === undefined) return answerAboutIssue(world, call, issue);
  if (call.method === 'POST') {
    const note = world.addComment(issue.number, { body: String(call.body['body']), author: 'everturn-bot' });
    return answerJson(call, gitlabNote(note));
  }
  const all = world.comments.filter(({ issueNumber }) => issueNumber === issue.number);
  list(call, call.query.get('sort') === 'desc' ? all.toReversed() : all, gitlabNote);
}

function answerAboutIssue(world: World, call: ApiCall, issue: WorldIssue): void {
  const { title, state_event: event, add_labels: add, remove_labels: remove } = call.body;
  if (call.method === 'PUT')
    writeTo(world, issue, {
      title,
      isOpen: event === undefined ? undefined : event === 'reopen',
      add: typeof add === 'string' ? add.split(',') : [],
      remove: typeof remove === 'string' ? remove.split(',') : [],
    });
  answerJson(call, gitlabIssue(world, issue));
}

function gitlabNote(note: WorldComment): Record<string, unknown> {
  return {
    id: note.id,
    body: note.body,
    author: note.author === null ? null : { id: 1, username: note.author },
    system: note.isSystem,
    noteable_iid: note.issueNumber,
    noteable_type: 'Issue',
    internal: false,
    created_at: note.createdAt.toISOString(),
    updated_at: note.updatedAt.toISOString(),
  };
}

function list<T>(call: ApiCall, all: readonly T[], write: (item: T) => unknown): void {
  const page = pageOf(call, all, 'per_page', 100);
  answerJson(call, page.items.map(write), {
    'X-Page': String(page.page),
    'X-Next-Page': page.page < page.pages ? String(page.page + 1) : '',
    'X-Total': String(page.total),
    'X-Total-Pages': String(page.pages),
  });
}
