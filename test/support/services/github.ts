import type { RestEndpointMethodTypes } from '@octokit/rest';
import { json, type OutsideServer, type Reply } from '../outside-server.ts';
import { routed } from './requests-of.ts';

type Data<T extends { response: { data: unknown } }> = T['response']['data'];
/** What the official client expects, as far as the tests write it: unknown members do not compile. */
type Part<T> = T extends readonly (infer E)[]
  ? readonly Part<E>[]
  : T extends object
    ? { [K in keyof T]?: Part<T[K]> }
    : T;

const [user, at] = [{ login: 'octocat', id: 1, type: 'User' }, '2026-01-01T00:00:00Z'];

export const ISSUE = {
  id: 1001,
  number: 7,
  title: 'It is slow',
  state: 'open',
  user,
  labels: [{ id: 1, name: 'bug', color: 'ededed' }],
  assignees: [user],
  comments: 0,
  html_url: 'https://github.com/acme/web/issues/7',
  body: 'Very slow.',
  created_at: at,
  updated_at: at,
} satisfies Part<Data<RestEndpointMethodTypes['issues']['get']>>;

export const HEAD_SHA = 'a'.repeat(40);
export const MERGE_SHA = 'b'.repeat(40);

export const PULL = {
  id: 2001,
  number: 8,
  title: 'Make it fast',
  state: 'open',
  draft: false,
  merged: false,
  user,
  head: { label: 'acme:fast', ref: 'fast', sha: HEAD_SHA },
  base: { label: 'acme:main', ref: 'main' },
  html_url: 'https://github.com/acme/web/pull/8',
  body: 'Faster.',
  mergeable: true,
  mergeable_state: 'clean',
  commits: 1,
  changed_files: 1,
  additions: 2,
  deletions: 1,
  created_at: at,
  updated_at: at,
} satisfies Part<Data<RestEndpointMethodTypes['pulls']['get']>>;

export const RUN = {
  id: 3001,
  name: 'CI',
  display_title: 'Make it fast',
  run_number: 5,
  run_attempt: 1,
  event: 'push',
  status: 'completed',
  conclusion: 'failure',
  head_branch: 'fast',
  head_sha: HEAD_SHA,
  html_url: 'https://github.com/acme/web/actions/runs/3001',
  actor: user,
  head_commit: { message: 'Faster' },
} satisfies Part<Data<RestEndpointMethodTypes['actions']['getWorkflowRun']>>;

const COMMENT = {
  id: 5,
  user,
  body: 'Indeed.',
  html_url: 'https://github.com/acme/web/issues/7#issuecomment-5',
  created_at: at,
} satisfies Part<Data<RestEndpointMethodTypes['issues']['getComment']>>;

const FILES = [{ filename: 'a.ts', status: 'modified', additions: 2, deletions: 1, patch: '@@' }] satisfies Part<
  Data<RestEndpointMethodTypes['pulls']['listFiles']>
>;

const CHECKS = {
  total_count: 1,
  check_runs: [{ id: 9, name: 'test', status: 'completed', conclusion: 'success', output: { title: 'ok', text: 'x' } }],
} satisfies Part<Data<RestEndpointMethodTypes['checks']['listForRef']>>;

const REVIEW = {
  id: 6,
  user,
  state: 'APPROVED',
  body: 'Good.',
  html_url: 'https://github.com/acme/web/pull/8#r6',
} satisfies Part<Data<RestEndpointMethodTypes['pulls']['createReview']>>;

const MERGED = { merged: true, sha: MERGE_SHA, message: 'Pull Request successfully merged' } satisfies Data<
  RestEndpointMethodTypes['pulls']['merge']
>;

const JOBS = {
  total_count: 1,
  jobs: [
    {
      id: 41,
      name: 'test',
      status: 'completed',
      conclusion: 'failure',
      steps: [{ number: 1, name: 'Run tests', status: 'completed', conclusion: 'failure' }],
    },
  ],
} satisfies Part<Data<RestEndpointMethodTypes['actions']['listJobsForWorkflowRun']>>;

const WORKFLOWS = {
  total_count: 1,
  workflows: [{ id: 11, name: 'CI', path: '.github/workflows/ci.yml', state: 'active' }],
} satisfies Part<Data<RestEndpointMethodTypes['actions']['listRepoWorkflows']>>;

const DIFF = 'diff --git a/a.ts b/a.ts\n';

/** Answers as the REST API of GitHub (2022-11-28) does, by its documentation and the types of its official client. */
export function answerAsGithub({ url }: Pick<OutsideServer, 'url'>): Reply {
  const repo = '/repos/acme/web';
  const [issue, pull, run] = [`${repo}/issues/7`, `${repo}/pulls/8`, `${repo}/actions/runs/3001`];
  return routed({
    [`GET ${repo}/issues`]: (response, { url: asked }) => {
      const isFirst = !new URL(asked, url).searchParams.has('page');
      const next = `<${url}/repositories/42/issues?per_page=25&page=2>; rel="next", <${url}/x>; rel="last"`;
      const items = isFirst ? [ISSUE, { ...ISSUE, number: 8, pull_request: { url: 'x' } }] : [];
      const headers = { 'content-type': 'application/json', ...(isFirst && { link: next }) };
      response.writeHead(200, headers).end(JSON.stringify(items));
    },
    [`POST ${repo}/issues`]: json(ISSUE, 201),
    [`GET ${issue}`]: json(ISSUE),
    [`PATCH ${issue}`]: json(ISSUE),
    [`GET ${issue}/comments`]: json([COMMENT]),
    [`POST ${issue}/comments`]: json(COMMENT, 201),
    [`POST ${repo}/issues/8/comments`]: json(COMMENT, 201),
    [`GET ${repo}/pulls`]: json([PULL]),
    [`POST ${repo}/pulls`]: json(PULL, 201),
    [`GET ${pull}`]: (response, request) => {
      if (request.headers.accept?.includes('diff') !== true) return json(PULL)(response, request);
      response.writeHead(200, { 'content-type': 'application/vnd.github.diff; charset=utf-8' }).end(DIFF);
    },
    [`PATCH ${pull}`]: json(PULL),
    [`GET ${pull}/files`]: json(FILES),
    [`GET ${pull}/reviews`]: json([REVIEW]),
    [`POST ${pull}/reviews`]: json(REVIEW),
    [`PUT ${pull}/merge`]: json(MERGED),
    [`GET ${repo}/commits/${HEAD_SHA}/check-runs`]: json(CHECKS),
    [`GET ${repo}/actions/workflows`]: json(WORKFLOWS),
    [`GET ${repo}/actions/runs`]: json({ total_count: 1, workflow_runs: [RUN] }),
    [`GET ${repo}/actions/workflows/ci.yml/runs`]: json({ total_count: 1, workflow_runs: [RUN] }),
    [`GET ${run}`]: json(RUN),
    [`GET ${run}/jobs`]: json(JOBS),
    [`POST ${repo}/actions/workflows/ci.yml/dispatches`]: empty(204),
    [`POST ${run}/rerun`]: json({}, 201),
    [`POST ${run}/rerun-failed-jobs`]: json({}, 201),
    [`POST ${run}/cancel`]: json({}, 202),
  });
}

function empty(status: number): Reply {
  return (response) => void response.writeHead(status).end();
}
