import { type ApiCall, answerJson, isSince, linkHeader, pageOf } from './api-call.ts';
import { answerAboutIssue, githubComment, githubIssue } from './github-api.ts';
import type { World } from './world.ts';

/** The pages of Gitea, unless its operator allows more (`MAX_RESPONSE_ITEMS`). */
const MAX_PAGE = 50;

/** Answers as the REST API of Gitea (v1) does for a repository with issues. */
export function answerAsGitea(world: World, call: ApiCall): void {
  const base = `/api/v1/repos/${world.path}`;
  if (call.path !== base && !call.path.startsWith(`${base}/`))
    return void call.response.writeHead(404).end('{"message":"not found"}');
  const rest = call.path.slice(base.length);
  if (rest === '') return answerJson(call, { id: world.repoId, full_name: world.path });
  if (rest === '/issues') {
    const ofType = world.issues.filter(({ isPullRequest }) => !isPullRequest || call.query.get('type') !== 'issues');
    // From the newest on, whenever they were changed.
    const wanted = ofType.filter(({ updatedAt }) => isSince(call, 'since', updatedAt)).toReversed();
    return list(call, wanted, (issue) => ({ pull_request: null, ...githubIssue(world, issue) }));
  }
  if (rest === '/issues/comments') {
    const wanted = world.comments.filter(({ updatedAt }) => isSince(call, 'since', updatedAt));
    return list(call, wanted, (comment) => ({ pull_request_url: '', ...githubComment(world, comment) }));
  }
  if (answerAboutIssue(world, call, rest)) return;
  call.response.writeHead(404).end('{"message":"not found"}');
}

function list<T>(call: ApiCall, all: readonly T[], write: (item: T) => unknown): void {
  const page = pageOf(call, all, 'limit', MAX_PAGE);
  answerJson(call, page.items.map(write), { ...linkHeader(call, page), 'X-Total-Count': String(page.total) });
}
