import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Octokit } from '@octokit/rest';
import { json, OutsideServer } from '../../../../test/support/outside-server.ts';
import { answerAsGithub, HEAD_SHA, ISSUE, MERGE_SHA, PULL } from '../../../../test/support/services/github.ts';
import { requestsOf } from '../../../../test/support/services/requests-of.ts';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import type { RunnableTool } from '../../runnable-tool.ts';
import type { ToolArguments } from '../../tool.ts';
import { githubActions } from './github-actions.ts';
import { githubApi } from './repo-parameter.ts';
import { githubIssue } from './github-issue.ts';
import { githubPullRequest } from './github-pull-request.ts';

const TOKEN = 'github_pat_a-token-of-the-tests';
const [owner, repo, workflow_id, run_id] = ['acme', 'web', 'ci.yml', 3001];
const [issue, pull, run] = [
  { owner, repo, issue_number: 7 },
  { owner, repo, pull_number: 8 },
  { owner, repo, run_id },
];
let server: OutsideServer;
let storage: OutsideServer;
let octokit: Octokit['rest'];
let tools: TestTools;
beforeAll(async () => {
  [server, storage] = [await OutsideServer.start(), await OutsideServer.start()];
  const github = {
    kind: 'github',
    name: 'GitHub',
    apiUrl: server.url,
    fields: ['token'],
    secretPlaces: [],
    secrets: { token: TOKEN },
  } as const;
  const privateHosts = `127.0.0.1:${server.port},127.0.0.1:${storage.port}`;
  tools = await createTestTools({ privateHosts, integrations: [github] });
  octokit = new Octokit({ baseUrl: server.url, auth: TOKEN }).rest;
});
afterAll(async () => {
  await tools.close();
  server.close();
  storage.close();
});
beforeEach(() => {
  server.seen.length = 0;
  storage.seen.length = 0;
  server.reply = answerAsGithub(server);
});

const use = async (tool: RunnableTool, args: ToolArguments) => prepareCall(tool, args).run(tools.context);
const inRepo = (args: ToolArguments) => ({ repo: 'acme/web', ...args });

describe('a request is the one that the official client makes', () => {
  const forMerge = { sha: HEAD_SHA, merge_method: 'squash' } as const;

  const calls: readonly [RunnableTool, ToolArguments, () => Promise<unknown>][] = [
    [
      githubIssue,
      { action: 'list', state: 'all', labels: ['bug', 'ui'] },
      async () => octokit.issues.listForRepo({ owner, repo, state: 'all', labels: 'bug,ui', per_page: 25 }),
    ],
    [githubIssue, { action: 'get', number: 7 }, async () => octokit.issues.get(issue)],
    [
      githubIssue,
      { action: 'comments', number: 7 },
      async () => octokit.issues.listComments({ ...issue, per_page: 25 }),
    ],
    [
      githubIssue,
      { action: 'create', title: 'A', body: 'B', labels: ['bug'], assignees: ['octocat'] },
      async () =>
        octokit.issues.create({ owner, repo, title: 'A', body: 'B', labels: ['bug'], assignees: ['octocat'] }),
    ],
    [
      githubIssue,
      { action: 'update', number: 7, title: 'A', labels: [] },
      async () => octokit.issues.update({ ...issue, title: 'A', labels: [] }),
    ],
    [
      githubIssue,
      { action: 'comment', number: 7, body: 'B' },
      async () => octokit.issues.createComment({ ...issue, body: 'B' }),
    ],
    [
      githubIssue,
      { action: 'close', number: 7, reason: 'not_planned' },
      async () => octokit.issues.update({ ...issue, state: 'closed', state_reason: 'not_planned' }),
    ],
    [githubIssue, { action: 'reopen', number: 7 }, async () => octokit.issues.update({ ...issue, state: 'open' })],
    [
      githubPullRequest,
      { action: 'list', state: 'closed', base: 'main' },
      async () => octokit.pulls.list({ owner, repo, state: 'closed', base: 'main', per_page: 25 }),
    ],
    [githubPullRequest, { action: 'get', number: 8 }, async () => octokit.pulls.get(pull)],
    [
      githubPullRequest,
      { action: 'diff', number: 8 },
      async () => octokit.pulls.get({ ...pull, mediaType: { format: 'diff' } }),
    ],
    [githubPullRequest, { action: 'files', number: 8 }, async () => octokit.pulls.listFiles({ ...pull, per_page: 50 })],
    [
      githubPullRequest,
      { action: 'checks', number: 8 },
      async () => {
        await octokit.pulls.get(pull);
        await octokit.checks.listForRef({ owner, repo, ref: HEAD_SHA, per_page: 50 });
      },
    ],
    [
      githubPullRequest,
      { action: 'reviews', number: 8 },
      async () => octokit.pulls.listReviews({ ...pull, per_page: 25 }),
    ],
    [
      githubPullRequest,
      { action: 'create', title: 'A', head: 'fast', base: 'main', body: 'B', draft: true },
      async () => octokit.pulls.create({ owner, repo, title: 'A', head: 'fast', base: 'main', body: 'B', draft: true }),
    ],
    [
      githubPullRequest,
      { action: 'update', number: 8, title: 'A', base: 'main' },
      async () => octokit.pulls.update({ ...pull, title: 'A', base: 'main' }),
    ],
    [
      githubPullRequest,
      { action: 'review', number: 8, event: 'APPROVE', body: 'Good' },
      async () => octokit.pulls.createReview({ ...pull, event: 'APPROVE', body: 'Good' }),
    ],
    [
      githubPullRequest,
      { action: 'comment', number: 8, body: 'B' },
      async () => octokit.issues.createComment({ owner, repo, issue_number: 8, body: 'B' }),
    ],
    [
      githubPullRequest,
      { action: 'merge', number: 8, ...forMerge },
      async () => octokit.pulls.merge({ ...pull, ...forMerge }),
    ],
    [githubPullRequest, { action: 'close', number: 8 }, async () => octokit.pulls.update({ ...pull, state: 'closed' })],
    [githubPullRequest, { action: 'reopen', number: 8 }, async () => octokit.pulls.update({ ...pull, state: 'open' })],
    [
      githubActions,
      { action: 'list_workflows' },
      async () => octokit.actions.listRepoWorkflows({ owner, repo, per_page: 50 }),
    ],
    [
      githubActions,
      { action: 'list_runs', branch: 'fast', status: 'failure' },
      async () =>
        octokit.actions.listWorkflowRunsForRepo({ owner, repo, branch: 'fast', status: 'failure', per_page: 20 }),
    ],
    [
      githubActions,
      { action: 'list_runs', workflow: 'ci.yml' },
      async () => octokit.actions.listWorkflowRuns({ owner, repo, workflow_id, per_page: 20 }),
    ],
    [githubActions, { action: 'get_run', run_id }, async () => octokit.actions.getWorkflowRun(run)],
    [
      githubActions,
      { action: 'jobs', run_id },
      async () => octokit.actions.listJobsForWorkflowRun({ ...run, per_page: 50 }),
    ],
    [
      githubActions,
      { action: 'dispatch', workflow: 'ci.yml', ref: 'main', inputs: { level: 'all' } },
      async () =>
        octokit.actions.createWorkflowDispatch({ owner, repo, workflow_id, ref: 'main', inputs: { level: 'all' } }),
    ],
    [githubActions, { action: 'rerun', run_id }, async () => octokit.actions.reRunWorkflow(run)],
    [
      githubActions,
      { action: 'rerun', run_id, failed_only: true },
      async () => octokit.actions.reRunWorkflowFailedJobs(run),
    ],
    [
      githubActions,
      { action: 'cancel', run_id },
      async () => {
        await octokit.actions.cancelWorkflowRun(run);
        await octokit.actions.getWorkflowRun(run);
      },
    ],
  ];
  test.each(calls.map(([tool, args, official]) => ({ key: tool.key, tool, args, official })))(
    'of $key with $args',
    async ({ tool, args, official }) => {
      const theirs = await requestsOf(server, official);
      expect(await requestsOf(server, async () => use(tool, inRepo(args)))).toEqual(theirs);
      expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(theirs.map(() => `Bearer ${TOKEN}`));
    },
  );
});

describe('github_issue', () => {
  test('lists issues without pull requests, with what is needed of them, page by page', async () => {
    const first = await use(githubIssue, inRepo({ action: 'list' }));
    const shown = {
      number: 7,
      title: 'It is slow',
      state: 'open',
      user: { login: 'octocat' },
      labels: [{ name: 'bug' }],
      assignees: [{ login: 'octocat' }],
      comments: 0,
      html_url: ISSUE.html_url,
      created_at: ISSUE.created_at,
      updated_at: ISSUE.updated_at,
    };
    expect(first).toEqual({ value: { issues: [shown], next: 'per_page=25&page=2' }, isForeign: true });
    const second = await use(githubIssue, inRepo({ action: 'list', cursor: 'per_page=25&page=2' }));
    expect(second.value).toEqual({ issues: [], next: undefined });
    expect(server.seen.at(-1)?.url).toBe('/repos/acme/web/issues?per_page=25&page=2');
  });

  test.each([
    ['create', 'once'],
    ['comment', 'once'],
    ['update', 'keyed'],
    ['close', 'keyed'],
    ['reopen', 'keyed'],
    ['get', 'read'],
  ])('%s is %s', (action, effect) => {
    expect(githubIssue.prepare(inRepo({ action }))).toMatchObject({ effect, approval: 'writes' });
  });

  test.each(['../web', 'acme/..', './.', 'acme/web/issues', 'acme', 'acme/web?x', 'acme/web\r\nX: y', 'acme/%2e%2e'])(
    'reaches nothing else with the repository %j',
    async (repository) => {
      const call = async () => use(githubIssue, { action: 'get', number: 7, repo: repository });
      await expect(call()).rejects.toMatchObject({ kind: 'invalid_input' });
      expect(server.seen).toEqual([]);
    },
  );
});

describe('github_pull_request', () => {
  test('is merged only as the commit that was looked at, with the consent of a person', async () => {
    expect(githubPullRequest.prepare(inRepo({ action: 'merge', number: 8, sha: HEAD_SHA }))).toMatchObject({
      effect: 'keyed',
      approval: 'always',
    });
    await expect(use(githubPullRequest, inRepo({ action: 'merge', number: 8 }))).rejects.toThrow(/requires sha/);
  });

  test.each([
    [
      { ...PULL, merged: true, merge_commit_sha: MERGE_SHA },
      { merged: true, sha: MERGE_SHA },
    ],
    [PULL, /status 405\): Pull Request is not mergeable/],
    [{ ...PULL, merged: true, merge_commit_sha: MERGE_SHA, head: { sha: 'c'.repeat(40) } }, /status 405/],
  ])('when GitHub refuses to merge, its state says whether that was done before', async (state, expected) => {
    server.reply = (response, request) =>
      (request.method === 'PUT' ? json({ message: 'Pull Request is not mergeable' }, 405) : json(state))(
        response,
        request,
      );
    const merge = use(githubPullRequest, inRepo({ action: 'merge', number: 8, sha: HEAD_SHA }));
    if (expected instanceof RegExp) await expect(merge).rejects.toThrow(expected);
    else expect((await merge).value).toMatchObject(expected);
  });

  test('is shown as a diff', async () => {
    expect((await use(githubPullRequest, inRepo({ action: 'diff', number: 8 }))).value).toMatch(/^diff --git/);
  });
});

describe('github_actions', () => {
  const log = `begin\n${'x'.repeat(20_000)} ${TOKEN}\nError: it broke`;
  beforeEach(() => {
    server.reply = (response) => void response.writeHead(302, { location: `${storage.url}/signed?sig=abc` }).end();
    storage.reply = (response) => void response.writeHead(200, { 'content-type': 'text/plain' }).end(log);
  });

  test('reads the log of a job where GitHub keeps it, without credentials, and keeps a long one', async () => {
    const { value } = await use(githubActions, inRepo({ action: 'logs', job_id: 41 }));
    expect(value).toMatch(/^begin[^]*workspace file (?<path>\S+job-41\.txt) [^]*Error: it broke$/);
    expect(value).not.toContain(TOKEN);
    expect(server.seen).toMatchObject([{ url: '/repos/acme/web/actions/jobs/41/logs' }]);
    expect(storage.seen).toHaveLength(1);
    expect(storage.seen[0]?.headers).not.toHaveProperty('authorization');
  });

  test('writes the logs of a run to a file', async () => {
    const { value } = await use(githubActions, inRepo({ action: 'logs', run_id }));
    expect(value).toEqual({ file: 'logs/run-3001.zip', bytes: Buffer.byteLength(log) });
    expect(await tools.context.workspace.read(['logs', 'run-3001.zip'], 100_000)).toEqual(Buffer.from(log));
  });

  test.each([
    [(location: string) => ({ status: 302, location }), 'http://169.254.169.254/latest', 'denied'],
    [(location: string) => ({ status: 302, location }), 'file:///etc/passwd', 'invalid_input'],
    [() => ({ status: 302 }), '', 'upstream'],
  ])('follows no redirect that leads where nobody may go (%#)', async (answer, location, kind) => {
    server.reply = (response) => {
      const { status, ...headers } = answer(location);
      response.writeHead(status, headers).end();
    };
    await expect(use(githubActions, inRepo({ action: 'logs', job_id: 41 }))).rejects.toMatchObject({ kind });
  });

  test('says that a run that has ended was not cancelled', async () => {
    server.reply = (response, request) =>
      (request.method === 'POST' ? json({ message: 'Cannot cancel' }, 409) : json({ id: 1, status: 'completed' }))(
        response,
        request,
      );
    const { value } = await use(githubActions, inRepo({ action: 'cancel', run_id }));
    expect(value).toEqual({ id: 1, status: 'completed' });
  });
});

describe('github_api', () => {
  test.each([
    [{ path: '/user' }, 'read'],
    [{ method: 'POST', path: '/user/repos', body: {} }, 'once'],
    [{ method: 'DELETE', path: '/repos/acme/web' }, 'once'],
  ])('%j is %s', (args, effect) => {
    expect(githubApi.prepare(args)).toMatchObject({ effect, approval: 'writes' });
  });

  test('sends what it is given, and shows status and body', async () => {
    server.reply = json({ id: 1 }, 201);
    const args = { method: 'POST', path: '/repos/acme/web/labels', query: { a: ['1', '2'] }, body: { name: 'bug' } };
    expect((await use(githubApi, args)).value).toEqual({ status: 201, body: { id: 1 } });
    expect(server.seen).toMatchObject([
      { method: 'POST', url: '/repos/acme/web/labels?a=1&a=2', body: '{"name":"bug"}' },
    ]);
  });

  test('shows an answer without a body', async () => {
    server.reply = (response) => void response.writeHead(204).end();
    expect((await use(githubApi, { method: 'DELETE', path: '/repos/acme/web/labels/bug' })).value).toEqual({
      status: 204,
    });
  });

  test.each([[[{ id: 1 }]], [{ total_count: 30, items: [{ id: 1 }] }]])(
    'gathers ten pages of %j at most, and says where the list goes on',
    async (page) => {
      server.reply = (response, { url }) => {
        const number = Number(new URL(url, server.url).searchParams.get('page') ?? 1);
        const link = `<${server.url}/repositories/42/x?page=${number + 1}>; rel="next"`;
        response.writeHead(200, { 'content-type': 'application/json', link }).end(JSON.stringify(page));
      };
      const { value } = await use(githubApi, { path: '/repos/acme/web/x', paginate: true });
      expect(value).toEqual({
        items: Array.from({ length: 10 }, () => ({ id: 1 })),
        next: '/repos/acme/web/x?page=11',
      });
      expect(server.seen.map(({ url }) => url).slice(0, 2)).toEqual(['/repos/acme/web/x', '/repos/acme/web/x?page=2']);
    },
  );

  test.each(['user', '//evil.example/user', 'https://evil.example/', '/a b', '/a\r\nX: y', '@evil.example/'])(
    'refuses the path %j',
    async (path) => {
      await expect(use(githubApi, { path })).rejects.toMatchObject({ kind: 'invalid_input' });
      expect(server.seen).toEqual([]);
    },
  );

  test("repeats GitHub's words, and asks for the time that it names when there were too many requests", async () => {
    server.reply = json({ message: 'Validation Failed', errors: [{ field: 'title', message: 'is missing' }] }, 422);
    await expect(use(githubApi, { method: 'POST', path: '/x' })).rejects.toThrow(
      'GitHub answers with the status 422: Validation Failed; is missing',
    );
    server.reply = (response) => void response.writeHead(403, { 'retry-after': '7' }).end('{"message":"slow down"}');
    await expect(use(githubApi, { method: 'POST', path: '/x' })).rejects.toMatchObject({
      kind: 'rate_limited',
      waitMs: 8_000,
    });
  });
});
