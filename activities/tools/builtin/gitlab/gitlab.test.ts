import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Gitlab } from '@gitbeaker/rest';
import { json, OutsideServer } from '../../../../test/support/outside-server.ts';
import { answerAsGitlab, ISSUE, MERGE_REQUEST, SHA } from '../../../../test/support/services/gitlab.ts';
import { requestsOf } from '../../../../test/support/services/requests-of.ts';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import type { RunnableTool } from '../../runnable-tool.ts';
import type { ToolArguments } from '../../tool.ts';
import { gitlabApi } from './project-parameter.ts';
import { gitlabIssue } from './gitlab-issue.ts';
import { gitlabMergeRequest } from './gitlab-merge-request.ts';
import { gitlabPipeline } from './gitlab-pipeline.ts';

const TOKEN = 'glpat-a-token-of-the-tests';
const PROJECT = 'acme/web';
let server: OutsideServer;
let storage: OutsideServer;
let gitlab: InstanceType<typeof Gitlab>;
let tools: TestTools;
beforeAll(async () => {
  [server, storage] = [await OutsideServer.start(), await OutsideServer.start()];
  const integration = {
    kind: 'gitlab',
    name: 'GitLab',
    apiUrl: `${server.url}/api/v4`,
    fields: ['token'],
    secretPlaces: [],
    secrets: { token: TOKEN },
  } as const;
  const privateHosts = `127.0.0.1:${server.port},127.0.0.1:${storage.port}`;
  tools = await createTestTools({ privateHosts, integrations: [integration] });
  gitlab = new Gitlab({ host: server.url, oauthToken: TOKEN });
});
afterAll(async () => {
  await tools.close();
  server.close();
  storage.close();
});
beforeEach(() => {
  server.seen.length = 0;
  server.reply = answerAsGitlab(server);
});

const use = async (tool: RunnableTool, args: ToolArguments) => prepareCall(tool, args).run(tools.context);
const inProject = (args: ToolArguments) => ({ project: PROJECT, ...args });
const page = { perPage: 25, showExpanded: true, maxPages: 1 } as const;

describe('a request is the one that the client for Node makes', () => {
  const forMerge = { sha: SHA, squash: true };
  const calls: readonly [RunnableTool, ToolArguments, () => Promise<unknown>][] = [
    [
      gitlabIssue,
      { action: 'list', state: 'all', labels: ['bug', 'ui'], search: 'slow' },
      async () => gitlab.Issues.all({ projectId: PROJECT, state: 'all', labels: 'bug,ui', search: 'slow', ...page }),
    ],
    [gitlabIssue, { action: 'get', iid: 7 }, async () => gitlab.Issues.show(7, { projectId: PROJECT })],
    [gitlabIssue, { action: 'comments', iid: 7 }, async () => gitlab.IssueNotes.all(PROJECT, 7, page)],
    [
      gitlabIssue,
      { action: 'create', title: 'A', description: 'B', labels: ['bug', 'ui'], assignee_ids: [1] },
      async () => gitlab.Issues.create(PROJECT, 'A', { description: 'B', labels: 'bug,ui', assigneeIds: [1] }),
    ],
    [
      gitlabIssue,
      { action: 'update', iid: 7, title: 'A', labels: [] },
      async () => gitlab.Issues.edit(PROJECT, 7, { title: 'A', labels: '' }),
    ],
    [gitlabIssue, { action: 'comment', iid: 7, body: 'B' }, async () => gitlab.IssueNotes.create(PROJECT, 7, 'B')],
    [gitlabIssue, { action: 'close', iid: 7 }, async () => gitlab.Issues.edit(PROJECT, 7, { stateEvent: 'close' })],
    [gitlabIssue, { action: 'reopen', iid: 7 }, async () => gitlab.Issues.edit(PROJECT, 7, { stateEvent: 'reopen' })],
    [
      gitlabMergeRequest,
      { action: 'list', state: 'merged', target_branch: 'main' },
      async () => gitlab.MergeRequests.all({ projectId: PROJECT, state: 'merged', targetBranch: 'main', ...page }),
    ],
    [gitlabMergeRequest, { action: 'get', iid: 8 }, async () => gitlab.MergeRequests.show(PROJECT, 8)],
    [gitlabMergeRequest, { action: 'changes', iid: 8 }, async () => gitlab.MergeRequests.allDiffs(PROJECT, 8, page)],
    [gitlabMergeRequest, { action: 'comments', iid: 8 }, async () => gitlab.MergeRequestNotes.all(PROJECT, 8, page)],
    [
      gitlabMergeRequest,
      {
        action: 'create',
        title: 'A',
        source_branch: 'fast',
        target_branch: 'main',
        description: 'B',
        remove_source_branch: true,
      },
      async () =>
        gitlab.MergeRequests.create(PROJECT, 'fast', 'main', 'A', { description: 'B', removeSourceBranch: true }),
    ],
    [
      gitlabMergeRequest,
      { action: 'update', iid: 8, title: 'A' },
      async () => gitlab.MergeRequests.edit(PROJECT, 8, { title: 'A' }),
    ],
    [
      gitlabMergeRequest,
      { action: 'comment', iid: 8, body: 'B' },
      async () => gitlab.MergeRequestNotes.create(PROJECT, 8, 'B'),
    ],
    [
      gitlabMergeRequest,
      { action: 'approve', iid: 8, sha: SHA },
      async () => gitlab.MergeRequestApprovals.approve(PROJECT, 8, { sha: SHA }),
    ],
    [
      gitlabMergeRequest,
      { action: 'merge', iid: 8, ...forMerge, remove_source_branch: true },
      async () => gitlab.MergeRequests.accept(PROJECT, 8, { ...forMerge, shouldRemoveSourceBranch: true }),
    ],
    [
      gitlabMergeRequest,
      { action: 'close', iid: 8 },
      async () => gitlab.MergeRequests.edit(PROJECT, 8, { stateEvent: 'close' }),
    ],
    [
      gitlabMergeRequest,
      { action: 'reopen', iid: 8 },
      async () => gitlab.MergeRequests.edit(PROJECT, 8, { stateEvent: 'reopen' }),
    ],
    [
      gitlabPipeline,
      { action: 'list', ref: 'fast', status: 'failed' },
      async () => gitlab.Pipelines.all(PROJECT, { ref: 'fast', status: 'failed', ...page }),
    ],
    [gitlabPipeline, { action: 'get', pipeline_id: 3001 }, async () => gitlab.Pipelines.show(PROJECT, 3001)],
    [
      gitlabPipeline,
      { action: 'jobs', pipeline_id: 3001 },
      async () => gitlab.Jobs.all(PROJECT, { pipelineId: 3001, ...page }),
    ],
    [gitlabPipeline, { action: 'job_log', job_id: 41 }, async () => gitlab.Jobs.showLog(PROJECT, 41)],
    [
      gitlabPipeline,
      { action: 'create', ref: 'fast', variables: { LEVEL: 'all' } },
      async () => gitlab.Pipelines.create(PROJECT, 'fast', { variables: [{ key: 'LEVEL', value: 'all' }] }),
    ],
    [gitlabPipeline, { action: 'retry', pipeline_id: 3001 }, async () => gitlab.Pipelines.retry(PROJECT, 3001)],
    [gitlabPipeline, { action: 'cancel', pipeline_id: 3001 }, async () => gitlab.Pipelines.cancel(PROJECT, 3001)],
  ];
  test.each(calls.map(([tool, args, client]) => ({ key: tool.key, tool, args, client })))(
    'of $key with $args',
    async ({ tool, args, client }) => {
      const theirs = await requestsOf(server, client);
      expect(await requestsOf(server, async () => use(tool, inProject(args)))).toEqual(theirs);
      expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(theirs.map(() => `Bearer ${TOKEN}`));
    },
  );
});

describe('gitlab_issue', () => {
  test('lists issues with what is needed of them, page by page', async () => {
    const first = await use(gitlabIssue, inProject({ action: 'list' }));
    const { id, description, author, assignees, ...shown } = ISSUE;
    expect([id, description, assignees.length]).toEqual([1001, 'Very slow.', 1]);
    const people = { author: { username: author.username }, assignees: [{ username: author.username }] };
    const next = 'page=2&per_page=25&state=opened';
    expect(first).toEqual({ value: { issues: [{ ...shown, ...people }], next }, isForeign: true });
    const second = await use(gitlabIssue, inProject({ action: 'list', cursor: next }));
    expect(second.value).toEqual({ issues: [], next: undefined });
    expect(server.seen.at(-1)?.url).toBe(`/api/v4/projects/acme%2Fweb/issues?${next}`);
  });

  test.each([
    [gitlabIssue, 'create', 'once'],
    [gitlabIssue, 'comment', 'once'],
    [gitlabIssue, 'update', 'keyed'],
    [gitlabIssue, 'close', 'keyed'],
    [gitlabIssue, 'get', 'read'],
    [gitlabMergeRequest, 'create', 'once'],
    [gitlabMergeRequest, 'approve', 'once'],
    [gitlabMergeRequest, 'changes', 'read'],
    [gitlabPipeline, 'create', 'once'],
    [gitlabPipeline, 'retry', 'once'],
    [gitlabPipeline, 'cancel', 'keyed'],
    [gitlabPipeline, 'job_log', 'read'],
  ] as const)('the effect of %j %s is %s', (tool, action, effect) => {
    expect(tool.prepare(inProject({ action }))).toMatchObject({ effect, approval: 'writes' });
  });

  test.each(['../user', 'acme/..', '.', 'acme//web', '/acme', 'acme/web?x', 'acme/web\r\nX: y', 'acme/%2e%2e', 'a b'])(
    'reaches nothing else with the project %j',
    async (project) => {
      await expect(use(gitlabIssue, { action: 'get', iid: 7, project })).rejects.toMatchObject({
        kind: 'invalid_input',
      });
      expect(server.seen).toEqual([]);
    },
  );
});

describe('gitlab_merge_request', () => {
  test('is merged only as the commit that was looked at, with the consent of a person', async () => {
    expect(gitlabMergeRequest.prepare(inProject({ action: 'merge', iid: 8, sha: SHA }))).toMatchObject({
      effect: 'keyed',
      approval: 'always',
    });
    await expect(use(gitlabMergeRequest, inProject({ action: 'merge', iid: 8 }))).rejects.toThrow(/requires sha/);
  });

  test.each([
    [
      { ...MERGE_REQUEST, state: 'merged' },
      { state: 'merged', sha: SHA },
    ],
    [{ ...MERGE_REQUEST, detailed_merge_status: 'conflict' }, /status 405\): its merge status is conflict/],
    [{ ...MERGE_REQUEST, state: 'merged', sha: 'c'.repeat(40) }, /status 405/],
  ])('when GitLab refuses to merge, its state says whether that was done before', async (state, expected) => {
    server.reply = (response, request) =>
      (request.method === 'PUT' ? json({ message: '405 Method Not Allowed' }, 405) : json(state))(response, request);
    const merge = use(gitlabMergeRequest, inProject({ action: 'merge', iid: 8, sha: SHA }));
    if (expected instanceof RegExp) await expect(merge).rejects.toThrow(expected);
    else expect((await merge).value).toMatchObject(expected);
  });
});

describe('gitlab_pipeline', () => {
  const LOG = `Running\n${'x'.repeat(10_000)}${TOKEN}\nFailed`;

  test.each(['the API', 'the storage of objects'])('reads the log of a job from %s', async (host) => {
    const reply = (response: Parameters<OutsideServer['reply']>[0]) =>
      void response.writeHead(200, { 'content-type': 'text/plain' }).end(LOG);
    const lead = (response: Parameters<OutsideServer['reply']>[0]) =>
      void response.writeHead(302, { location: `${storage.url}/signed` }).end();
    server.reply = host === 'the API' ? reply : lead;
    storage.reply = reply;
    const { value } = await use(gitlabPipeline, inProject({ action: 'job_log', job_id: 41 }));
    expect(value).toMatch(/^Running[^]*tool-results\/\S+-job-41\.txt[^]*Failed$/);
    expect(value).not.toContain(TOKEN);
    expect(storage.seen.map(({ headers }) => headers.authorization)).toEqual(storage.seen.map(() => undefined));
  });
});

describe('gitlab_api', () => {
  test('calls routes below the API, and nothing beside it', async () => {
    server.reply = json([{ tag_name: 'v1' }]);
    const args = { path: '/projects/acme%2Fweb/releases' };
    expect((await use(gitlabApi, args)).value).toEqual({ status: 200, body: [{ tag_name: 'v1' }] });
    expect(server.seen.map(({ url }) => url)).toEqual(['/api/v4/projects/acme%2Fweb/releases']);
    for (const path of ['/../../admin', '/%2e%2e/%2e%2e/admin', '/..%2f..%2fadmin'])
      await expect(use(gitlabApi, { path })).rejects.toMatchObject({ kind: 'invalid_input' });
    expect(server.seen).toHaveLength(1);
  });

  test('repeats the words of GitLab without the token in them', async () => {
    server.reply = json({ message: { title: [`can't be blank, ${TOKEN}`] } }, 400);
    const failure = use(gitlabApi, { method: 'POST', path: '/projects/1/issues', body: {} });
    await expect(failure).rejects.toMatchObject({ kind: 'invalid_input', isForeign: true });
    await expect(failure).rejects.toThrow(/^GitLab answers with the status 400: .*can't be blank, \*\*\*/);
  });
});
