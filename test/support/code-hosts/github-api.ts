import { type ApiCall, answerJson, isSince, linkHeader, pageOf } from './api-call.ts';
import { writeTo } from './issue-writes.ts';
import type { World, WorldComment, WorldIssue } from './world.ts';

const seconds = (time: Date) => time.toISOString().replace('.000Z', 'Z');
const user = (login: string | null) => (login === null ? null : { login, id: 1, type: 'User' });

/** An issue as the REST API of GitHub (2022-11-28) writes it. */
export function githubIssue(world: World, issue: WorldIssue): Record<string, unknown> {
  return {
    id: issue.id,
    node_id: `I_${issue.id}`,
    number: issue.number,
    title: issue.title,
    body: issue.body,
    state: issue.isOpen ? 'open' : 'closed',
    state_reason: issue.reason,
    labels: issue.labels.map((name, id) => ({ id, name, color: 'ededed', default: false })),
    user: user(issue.author),
    html_url: `https://github.com/${world.path}/issues/${issue.number}`,
    comments: world.comments.filter(({ issueNumber }) => issueNumber === issue.number).length,
    ...(issue.isPullRequest && {
      pull_request: { url: `https://api.github.com/repos/${world.path}/pulls/${issue.number}` },
    }),
    created_at: seconds(issue.createdAt),
    updated_at: seconds(issue.updatedAt),
  };
}

/** A comment as the REST API of GitHub writes it. */
export function githubComment(world: World, comment: WorldComment): Record<string, unknown> {
  return {
    id: comment.id,
    body: comment.body,
    user: user(comment.author),
    html_url: `https://github.com/${world.path}/issues/${comment.issueNumber}#issuecomment-${comment.id}`,
    issue_url: `https://api.github.com/repos/${world.path}/issues/${comment.issueNumber}`,
    created_at: seconds(comment.createdAt),
    updated_at: seconds(comment.updatedAt),
  };
}

/** Answers as the REST API of GitHub does for a repository with issues. */
export function answerAsGithub(world: World, call: ApiCall): void {
  const base = [`/repos/${world.path}`, `/repositories/${world.repoId}`].find((each) => isBelow(call.path, each));
  if (base === undefined) return leadOn(world, call);
  const rest = call.path.slice(base.length);
  if (rest === '')
    return answerJson(call, { id: world.repoId, full_name: world.path, private: false, has_issues: true });
  if (rest === '/issues')
    return list(call, sorted(world.issues.filter((issue) => isWanted(call, issue))), (issue) =>
      githubIssue(world, issue),
    );
  if (rest === '/issues/comments')
    return list(call, sorted(world.comments.filter(({ updatedAt }) => isSince(call, 'since', updatedAt))), (comment) =>
      githubComment(world, comment),
    );
  if (answerAboutIssue(world, call, rest)) return;
  call.response.writeHead(404).end('{"message":"Not Found"}');
}

function list<T>(call: ApiCall, all: readonly T[], write: (item: T) => unknown): void {
  const page = pageOf(call, all, 'per_page', 100);
  answerJson(call, page.items.map(write), { ...linkHeader(call, page), 'X-RateLimit-Remaining': '4999' });
}

function isWanted(call: ApiCall, { isOpen, updatedAt }: WorldIssue): boolean {
  const state = call.query.get('state') ?? 'open';
  return isSince(call, 'since', updatedAt) && (state === 'all' || isOpen === (state === 'open'));
}

// The sync asks for `sort=updated&direction=asc`; anything else would be an error of its own.
function sorted<T extends { readonly id: number; readonly updatedAt: Date }>(records: readonly T[]): readonly T[] {
  return records.toSorted((one, other) => one.updatedAt.getTime() - other.updatedAt.getTime() || one.id - other.id);
}

function leadOn(world: World, call: ApiCall): void {
  const former = world.formerPaths.find((path) => isBelow(call.path, `/repos/${path}`));
  if (former === undefined) return void call.response.writeHead(404).end('{"message":"Not Found"}');
  const url = new URL(call.request.url ?? '', call.origin);
  url.pathname = url.pathname.replace(`/repos/${former}`, `/repositories/${world.repoId}`);
  call.response.writeHead(301, { Location: url.href }).end('{"message":"Moved Permanently"}');
}

function isBelow(path: string, base: string): boolean {
  return path === base || path.startsWith(`${base}/`);
}

/** Answers what is asked or told of one issue; returns false for anything else. */
export function answerAboutIssue(world: World, call: ApiCall, rest: string): boolean {
  const [, issues, number = '', part = '', label = ''] = rest.split('/');
  const issue = world.issues.find((each) => each.number === Number(number));
  if (issues !== 'issues' || issue === undefined) return false;
  if (part === 'comments') answerComments(world, call, issue);
  else if (part === 'labels') answerLabels(world, call, issue, decodeURIComponent(label));
  else answerIssue(world, call, issue);
  return true;
}

function answerComments(world: World, call: ApiCall, issue: WorldIssue): void {
  if (call.method === 'POST') {
    const comment = world.addComment(issue.number, { body: String(call.body['body']), author: 'everturn-bot' });
    return answerJson(call, githubComment(world, comment));
  }
  const comments = world.comments.filter((each) => each.issueNumber === issue.number);
  list(call, comments, (comment) => githubComment(world, comment));
}

/** The id of the first label of an issue: of these tests, in which an id is a place. */
const FIRST_LABEL = 100;

// GitHub takes a label away by its name, Gitea by its id.
function answerLabels(world: World, call: ApiCall, issue: WorldIssue, label: string): void {
  const named = Number(label) >= FIRST_LABEL ? (issue.labels[Number(label) - FIRST_LABEL] ?? '') : label;
  if (call.method === 'POST') writeTo(world, issue, { add: call.body['labels'] as string[] });
  if (call.method === 'DELETE') writeTo(world, issue, { remove: [named] });
  answerJson(
    call,
    issue.labels.map((name, index) => ({ id: FIRST_LABEL + index, name })),
  );
}

function answerIssue(world: World, call: ApiCall, issue: WorldIssue): void {
  const { title, state, state_reason: reason } = call.body;
  if (call.method === 'PATCH')
    writeTo(world, issue, { title, reason, isOpen: state === undefined ? undefined : state === 'open' });
  answerJson(call, githubIssue(world, issue));
}
