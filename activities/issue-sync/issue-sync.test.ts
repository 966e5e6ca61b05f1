import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { SecretBox } from '../../db/core/secret-box.ts';
import { purgeGone, purgeSyncs } from '../../db/issue-sync/sync-progress.ts';
import { parsePrivateHosts } from '../../domain/network/addresses.ts';
import { parseOrgLimits } from '../../domain/orgs.ts';
import type { CodeHostKind } from '../../domain/projects.ts';
import { HOST_TOKEN, HostServer, World } from '../../test/support/code-hosts/index.ts';
import { registerUser, type TestUser } from '../../test/support/factories.ts';
import { longTest } from '../../test/support/in-length.ts';
import { startTestApi, TEST_SECRET_KEY, type TestApi } from '../../test/support/test-api.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-database.ts';
import { createGuardedFetch } from '../core/network/guarded-fetch.ts';
import { createGuardedHttp } from '../core/network/guarded-http.ts';
import { continueSync } from './read-from-host.ts';

interface Sync {
  readonly id: string;
  readonly status: string;
  readonly created: number;
  readonly updated: number;
  readonly total: number;
  readonly comments: number;
  readonly skipped: number;
  readonly error: string | null;
}

interface Issue {
  readonly id: string;
  readonly number: number;
  readonly title: string;
  readonly description: string;
  readonly status: string;
  readonly labels: readonly string[];
  readonly remote: Readonly<Record<string, unknown>> | null;
}

type Fields = Readonly<Record<string, unknown>>;

const KINDS: readonly CodeHostKind[] = ['github', 'gitlab', 'gitea'];
const limits = parseOrgLimits('');
let testDatabase: TestDatabase;
let api: TestApi;
let hosts: Record<CodeHostKind, HostServer>;
let user: TestUser;
let guarded: ReturnType<typeof createGuardedFetch>;
let host: HostServer;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const [github, gitlab, gitea] = await Promise.all(KINDS.map((kind) => HostServer.start(kind)));
  hosts = { github, gitlab, gitea } as Record<CodeHostKind, HostServer>;
  const privateHosts = KINDS.map((kind) => `127.0.0.1:${hosts[kind].port}`).join(',');
  guarded = createGuardedFetch(parsePrivateHosts(privateHosts));
  api = await startTestApi({ databaseUrl: testDatabase.url, temporalAddress: '127.0.0.1:1', privateHosts });
});
beforeEach(async () => {
  for (const each of Object.values(hosts)) each.reset();
  host = hosts.github;
  user = await registerUser(api.url);
});
afterAll(async () => {
  for (const each of Object.values(hosts)) each.close();
  await guarded.close();
  await api.close();
  await testDatabase.drop();
});

async function createProject(fields: Fields = {}, { repoUrl }: HostServer = host): Promise<string> {
  const project = { name: 'Website', repo_url: repoUrl, repo_type: 'github', ...fields };
  const { status, json } = await user.client.post<{ id: string }>('/api/projects', project);
  expect(status).toBe(201);
  return json.id;
}

async function request(projectId: string): Promise<Sync> {
  const { status, json } = await user.client.post<Sync>(`/api/projects/${projectId}/sync-issues`);
  expect(status).toBe(202);
  return json;
}

/** Goes on with a sync once, as a worker does; answers how long it is to wait, and undefined when it has ended. */
async function goOn(projectId: string, syncId: string): Promise<number | undefined> {
  const deps = {
    database: api.database,
    box: new SecretBox([TEST_SECRET_KEY]),
    http: createGuardedHttp(guarded.fetch),
    limits,
  };
  const sync = { orgId: user.orgId, projectId, syncId };
  const { hasEnded, waitMs } = await continueSync(deps, sync, new AbortController().signal);
  return hasEnded ? undefined : waitMs;
}

/** Syncs to the end, without waiting where it is to wait. */
async function sync(projectId: string): Promise<Sync & { readonly waits: readonly number[] }> {
  const { id } = await request(projectId);
  const waits: number[] = [];
  for (;;) {
    const waitMs = await goOn(projectId, id);
    if (waitMs === undefined) break;
    waits.push(waitMs);
  }
  return { ...(await read(projectId, id)), waits };
}

const read = async (projectId: string, id: string) =>
  (await user.client.get<Sync>(`/api/projects/${projectId}/syncs/${id}`)).json;
const issuesOf = async (projectId: string) =>
  (await user.client.get<Issue[]>(`/api/issues?project_id=${projectId}`)).json.toReversed();
const commentsOf = async (id: string) => (await user.client.get<Fields[]>(`/api/issues/${id}/comments`)).json;

describe.each(KINDS)('issues at %s', (kind) => {
  beforeEach(() => {
    host = hosts[kind];
  });
  const create = async () => createProject({ repo_type: kind }, hosts[kind]);
  // What a host's own pages make no difference to.
  const testOfOne = kind === KINDS[0] ? test : longTest;

  test('are read with their comments, once each, and then what has changed since', async () => {
    const { world } = host;
    for (let n = 1; n <= 120; n += 1) world.addIssue({ labels: ['bug', 'ui'] });
    world.addIssue({ isOpen: false, title: 'Closed' });
    if (kind !== 'gitlab') world.addIssue({ isPullRequest: true });
    for (let n = 1; n <= 130; n += 1) world.addComment(3, { body: `Comment ${n}` });
    world.addComment(5, { isSystem: kind === 'gitlab', body: 'changed the description' });
    const projectId = await create();
    expect(await sync(projectId)).toMatchObject({
      status: 'completed',
      created: 121,
      updated: 0,
      total: 121,
      comments: kind === 'gitlab' ? 130 : 131,
      skipped: 0,
      error: null,
      waits: [],
    });
    const issues = await issuesOf(projectId);
    expect(issues).toHaveLength(121);
    expect(issues[0]).toMatchObject({
      title: 'Issue 1',
      description: 'What is to be done.',
      status: 'backlog',
      labels: ['bug', 'ui'],
      remote: { number: 1, author: 'octocat', state: 'open', url: expect.stringMatching(/^https:\/\/.*1$/) },
    });
    expect(issues[120]).toMatchObject({ title: 'Closed', status: 'done', remote: { state: 'done' } });
    const comments = await commentsOf(issues[2]?.id ?? '');
    expect(comments.map(({ content }) => content)).toEqual(Array.from({ length: 130 }, (_, n) => `Comment ${n + 1}`));
    expect(comments[0]).toMatchObject({ user_id: null, remote: { author: 'octocat' } });

    world.tick(3_600);
    world.change(world.issue(1), { title: 'Renamed', labels: ['bug'], body: null });
    world.change(world.issue(2), { isOpen: false });
    world.addIssue({ title: 'New' });
    world.edit(130, 'Edited');
    host.seen.length = 0;
    expect(await sync(projectId)).toMatchObject({ created: 1, updated: 2, total: 122, comments: 1 });
    // Its own page, one for the list, and one for comments.
    expect(host.seen.length).toBeLessThan(7);
    const after = await issuesOf(projectId);
    expect(after[0]).toMatchObject({ title: 'Renamed', labels: ['bug'], description: '', remote: { conflicts: null } });
    expect(after[1]).toMatchObject({ status: 'done' });
    expect(after).toHaveLength(122);
    expect((await commentsOf(after[2]?.id ?? ''))[129]).toMatchObject({ content: 'Edited' });
    expect(await sync(projectId)).toMatchObject({ created: 0, updated: 0, total: 122, comments: 0 });
  });

  test('are read with the token of the integration, whose failure is shown there and at the project', async () => {
    host.isPrivate = true;
    host.world.addIssue();
    const integration = { kind, name: `Code ${kind}`, base_url: `${host.url}${kind === 'github' ? '/api/v3' : ''}` };
    const wrong = { ...integration, credentials: { token: 'a-wrong-token' } };
    const { json, status } = await user.client.post<{ id: string }>('/api/integrations', wrong);
    expect(status).toBe(201);
    const projectId = await createProject({ repo_type: kind, integration_id: json.id }, host);
    const failed = await sync(projectId);
    expect(failed).toMatchObject({ status: 'failed', error: expect.stringContaining('rejected the credentials') });
    const errors = async () => [
      (await user.client.get<Fields>(`/api/projects/${projectId}`)).json['integration_error'],
      (await user.client.get<Fields>(`/api/integrations/${json.id}`)).json['error'],
    ];
    expect(await errors()).toEqual([failed.error, failed.error]);
    await user.client.patch(`/api/integrations/${json.id}`, { credentials: { token: HOST_TOKEN } });
    expect(await sync(projectId)).toMatchObject({ status: 'completed', created: 1 });
    expect(await errors()).toEqual([null, null]);
  });

  testOfOne('are each added once when a sync is interrupted, and two attempts at it run at a time', async () => {
    for (let n = 1; n <= 230; n += 1) host.world.addIssue();
    for (let n = 1; n <= 40; n += 1) host.world.addComment(n);
    const projectId = await create();
    const { id } = await request(projectId);
    // Each request after the second breaks off its attempt once.
    for (let n = 0; n < 4; n += 1) {
      host.faults.push(
        () => false,
        ({ response }) => void response.destroy(),
      );
      await goOn(projectId, id);
    }
    host.faults.length = 0;
    await Promise.all([goOn(projectId, id), goOn(projectId, id), goOn(projectId, id)]);
    while ((await goOn(projectId, id)) !== undefined) await read(projectId, id);
    expect(await read(projectId, id)).toMatchObject({ status: 'completed', created: 230, total: 230, comments: 40 });
    expect(new Set((await issuesOf(projectId)).map(({ remote }) => remote?.['number'])).size).toBe(230);
  });

  test('are distinguished from those of another repository there that the project had before, which have the same numbers', async () => {
    host.world.tick(3_600);
    host.world.addIssue({ title: 'In the first' });
    host.world.addComment(1, { body: 'On the first' });
    const projectId = await create();
    await sync(projectId);
    host.world = new World({ repoId: 4_243, path: 'example/second', lastId: 9_000 });
    // It was changed before the one with its number.
    host.world.addIssue({ title: 'In the second' });
    host.world.addComment(1, { body: 'On the second' });
    await user.client.patch(`/api/projects/${projectId}`, { repo_url: host.repoUrl, repo_type: kind });
    expect(await sync(projectId)).toMatchObject({ status: 'completed', created: 1, total: 1, comments: 1 });
    const issues = (await issuesOf(projectId)).toSorted((a, b) => a.title.localeCompare(b.title));
    expect(issues.map(({ title }) => title)).toEqual(['In the first', 'In the second']);
    const said = await Promise.all(issues.map(async ({ id }) => (await commentsOf(id)).map(({ content }) => content)));
    expect(said).toEqual([['On the first'], ['On the second']]);
  });

  test('are read again when the project gets another repository in the meantime', async () => {
    for (let n = 1; n <= 5; n += 1) host.world.addIssue();
    const projectId = await create();
    const { id } = await request(projectId);
    host.fail(1, () => false);
    host.fail(1, ({ response }) => void response.writeHead(429, { 'Retry-After': '1' }).end());
    expect(await goOn(projectId, id)).toBeGreaterThan(0);
    host.world = new World({ repoId: 4_243, path: 'example/second', lastId: 9_000 });
    host.world.addIssue({ title: 'In the second' });
    host.world.addComment(1, { body: 'On the second' });
    await user.client.patch(`/api/projects/${projectId}`, { repo_url: host.repoUrl, repo_type: kind });
    expect(await goOn(projectId, id)).toBeUndefined();
    expect(await read(projectId, id)).toMatchObject({ status: 'completed', created: 1, total: 1, comments: 1 });
    host.world.tick(3_600);
    host.world.addIssue();
    expect(await sync(projectId)).toMatchObject({ created: 1, total: 2 });
  });

  test('are waited for while the host asks to wait', async () => {
    host.world.addIssue();
    const projectId = await create();
    const { id } = await request(projectId);
    host.fail(1, ({ response }) => void response.writeHead(429, { 'Retry-After': '77' }).end());
    expect(await goOn(projectId, id)).toBe(78_000);
    expect(await read(projectId, id)).toMatchObject({
      status: 'waiting',
      error: expect.stringContaining('asks to wait before the next request'),
      waiting_until: expect.any(String),
    });
    expect(await goOn(projectId, id)).toBeUndefined();
    expect(await read(projectId, id)).toMatchObject({
      status: 'completed',
      created: 1,
      error: null,
      waiting_until: null,
    });
  });
});

describe('GitHub', () => {
  test('answers 304 when nothing has changed, which costs one request', async () => {
    host.world.addIssue();
    const projectId = await createProject();
    await sync(projectId);
    await sync(projectId);
    host.seen.length = 0;
    expect(await sync(projectId)).toMatchObject({ status: 'completed', created: 0, updated: 0, total: 1 });
    expect(host.seen.filter(({ etag }) => etag !== undefined)).toHaveLength(1);
  });

  test.each([
    [
      '403 with a reset',
      403,
      () => ({ 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String(Date.now() / 1_000 + 600) }),
      '',
    ],
    ['403 with words alone', 403, () => ({}), '{"message":"You have exceeded a secondary rate limit."}'],
    ['429 with nothing', 429, () => ({}), ''],
  ])('is waited for after %s', async (_what, status, headers, body) => {
    const projectId = await createProject();
    const { id } = await request(projectId);
    host.fail(1, ({ response }) => void response.writeHead(status, headers()).end(body));
    expect(await goOn(projectId, id)).toBeGreaterThan(50_000);
    expect(await goOn(projectId, id)).toBeUndefined();
  });

  test('is left alone after the last request that it takes', async () => {
    const projectId = await createProject();
    for (let n = 1; n <= 150; n += 1) host.world.addIssue();
    const { id } = await request(projectId);
    host.fail(1, ({ response }) => {
      response.setHeader('X-RateLimit-Reset', '30');
      return false;
    });
    host.fail(1, (call) => {
      const { writeHead } = call.response;
      call.response.writeHead = ((code: number, headers: object) =>
        writeHead.call(call.response, code, {
          ...headers,
          'X-RateLimit-Remaining': '0',
          'X-RateLimit-Reset': String(Math.floor(Date.now() / 1_000) + 1_000),
        })) as typeof writeHead;
      return false;
    });
    expect(await goOn(projectId, id)).toBeGreaterThan(500_000);
    expect(await read(projectId, id)).toMatchObject({ status: 'waiting', created: 100, error: null });
    expect(await goOn(projectId, id)).toBeUndefined();
  });

  test('is asked again after failures, with longer and longer waits, and given up in the end', async () => {
    host.world.addIssue();
    const projectId = await createProject();
    host.fail(3, ({ response }) => void response.writeHead(502).end('<html>Bad gateway</html>'));
    expect(await sync(projectId)).toMatchObject({ status: 'completed', created: 1, waits: [2_000, 5_000, 15_000] });
    host.fail(100, ({ response }) => void response.writeHead(500).end());
    const failed = await sync(projectId);
    expect(failed).toMatchObject({ status: 'failed', error: 'GitHub had an internal error (status 500)' });
    expect(failed.waits.reduce((sum, wait) => sum + wait, 0)).toBeGreaterThan(3_000_000);
  });

  test.each([
    ['nothing', 404, '{"message":"Not Found"}', 'no such repository'],
    ['HTML', 200, '<!doctype html><h1>Sign in</h1>', "The answer is not GitHub's"],
    ['something else', 200, '{"name":"website"}', 'not as its documentation says'],
    ['that it is turned off', 410, '{}', 'turned off'],
    ['another address', 302, '', 'redirects to another address'],
  ])('fails a sync in plain words when it answers %s', async (_what, status, body, words) => {
    const projectId = await createProject();
    host.fail(1, ({ response }) => {
      response.writeHead(status, { 'Content-Type': 'text/html', Location: 'https://evil.example.com/' }).end(body);
    });
    expect(await sync(projectId)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining(words),
      created: 0,
    });
  });

  test('is followed to a repository by its new name, which keeps its issues', async () => {
    host.world.addIssue();
    const projectId = await createProject();
    await sync(projectId);
    host.world.formerPaths.push(host.world.path);
    host.world.path = 'example/new-name';
    host.world.tick(3_600);
    host.world.addIssue();
    expect(await sync(projectId)).toMatchObject({ status: 'completed', created: 1, total: 2 });
  });

  test('may send an issue of 10 MB, which is left out, and others of any size', async () => {
    for (let n = 1; n <= 3; n += 1) host.world.addIssue({ body: 'x'.repeat(200_000) });
    host.world.addIssue({ body: 'y'.repeat(10 * 1024 ** 2) });
    host.world.addIssue({ title: 'After it' });
    const projectId = await createProject();
    expect(await sync(projectId)).toMatchObject({ status: 'completed', created: 4, skipped: 1 });
    const issues = await issuesOf(projectId);
    expect(issues.at(-1)).toMatchObject({ title: 'After it' });
    expect(issues[0]?.description).toHaveLength(65_536);
    expect(issues[0]?.description).toMatch(/\[The rest is at the code host\]$/);
  });

  test('may send text of every kind, which is stored as far as it can be', async () => {
    host.world.addIssue({
      title: `  a\u0000b\nc\u202E ${'ü'.repeat(400)}`,
      body: '# 修复 🧭\u0000 <script>alert(1)</script>\r\n[x](javascript:alert(1)) \uD800',
      labels: ['bug', 'bug', ' ', 'a\nb', ...Array.from({ length: 100 }, (_, n) => `label ${n}`), 'x'.repeat(99)],
      author: null,
    });
    const projectId = await createProject();
    expect(await sync(projectId)).toMatchObject({ status: 'completed', created: 1 });
    const [issue] = await issuesOf(projectId);
    expect(issue?.title).toHaveLength(298);
    expect(issue?.description).toContain('修复 🧭');
    expect(issue?.labels.slice(0, 3)).toEqual(['bug', 'a b', 'label 0']);
    expect(issue?.labels).toHaveLength(20);
    expect(issue?.remote).toMatchObject({ author: null });
  });

  test('may move issues to other pages while they are read, of which none is missed', async () => {
    for (let n = 1; n <= 250; n += 1) host.world.addIssue();
    const projectId = await createProject();
    const { id } = await request(projectId);
    for (let n = 0; n < 3; n += 1)
      host.faults.push(() => {
        host.world.change(host.world.issue(n + 1), { title: `Moved ${n}` });
        return false;
      });
    while ((await goOn(projectId, id)) !== undefined) await read(projectId, id);
    expect(await read(projectId, id)).toMatchObject({ total: 250 });
    expect(await issuesOf(projectId)).toHaveLength(250);
  });
});

describe('what was changed here', () => {
  const change = async (id: string, fields: Fields) => user.client.patch(`/api/issues/${id}`, fields);

  test('stays, unless the host has changed it too: then its value is taken, and the issue shows what it replaced', async () => {
    const issue = host.world.addIssue({ title: 'There', labels: ['bug'] });
    const projectId = await createProject();
    await sync(projectId);
    const [{ id } = { id: '' }] = await issuesOf(projectId);
    await change(id, { title: 'Here', description: 'Mine', labels: ['mine'], status: 'in_progress' });
    host.world.tick(3_600);
    host.world.change(issue, { title: 'There again', isOpen: true });
    expect(await sync(projectId)).toMatchObject({ updated: 1 });
    const shown = async () => (await user.client.get<Issue>(`/api/issues/${id}`)).json;
    expect(await shown()).toMatchObject({
      title: 'There again',
      description: 'Mine',
      labels: ['mine'],
      status: 'in_progress',
      remote: { conflicts: [{ field: 'title', here: 'Here' }], conflicted_at: expect.any(String) },
    });
    const { json: log } = await user.client.get<Fields[]>(`/api/projects/${projectId}/logs`);
    expect(log).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          action: 'synced',
          record_type: 'issue',
          user_id: null,
          changes: { title: { from: 'Here', to: 'There again' } },
        }),
      ]),
    );
    host.world.change(issue, { isOpen: false, reason: 'not_planned' });
    await sync(projectId);
    expect(await shown()).toMatchObject({ status: 'cancelled' });
    host.world.change(issue, { isOpen: true });
    await sync(projectId);
    expect(await shown()).toMatchObject({ status: 'todo' });
  });

  test('and deleted does not come back', async () => {
    const issue = host.world.addIssue();
    host.world.addComment(1);
    host.world.addIssue();
    const comment = host.world.addComment(2);
    const projectId = await createProject();
    await sync(projectId);
    const [one, two] = await issuesOf(projectId);
    await user.client.delete(`/api/issues/${one?.id}`);
    const [said] = await commentsOf(two?.id ?? '');
    await user.client.delete(`/api/issues/${two?.id}/comments/${String(said?.['id'])}`);
    host.world.tick(3_600);
    host.world.change(issue, { title: 'Changed' });
    Object.assign(comment, { body: 'Changed', updatedAt: host.world.tick() });
    expect(await sync(projectId)).toMatchObject({ created: 0, comments: 0 });
    expect(await issuesOf(projectId)).toHaveLength(1);
    expect(await commentsOf(two?.id ?? '')).toEqual([]);
  });
});

describe('a sync', () => {
  test('fails when the host lists the same page without end', async () => {
    const issue = {
      id: 1,
      number: 1,
      title: 'Again',
      state: 'open',
      comments: 0,
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '+275760-09-13T00:00:00Z',
    };
    host.faults.push(({ response }) => {
      response.setHeader('Date', 'Sat, 13 Sep 275760 00:00:00 GMT');
      return false;
    });
    host.fail(100, ({ response }) => {
      response.setHeader('Link', `<${host.url}>; rel="next"`);
      response.end(JSON.stringify([issue]));
    });
    const projectId = await createProject();
    const endless = await sync(projectId);
    expect(endless).toMatchObject({ status: 'failed', created: 1, error: expect.stringContaining('without end') });
    expect(host.seen.length).toBeLessThan(6);
  });

  test('ends after some unexpected errors in a row', async () => {
    const projectId = await createProject();
    const { id } = await request(projectId);
    const fail = async () => Promise.reject(new Error('An error of our own'));
    const deps = { database: api.database, box: new SecretBox([TEST_SECRET_KEY]), http: { request: fail }, limits };
    const attempt = async () =>
      continueSync(deps, { orgId: user.orgId, projectId, syncId: id }, new AbortController().signal);
    for (let n = 0; n < 8; n += 1) await expect(attempt()).rejects.toThrow('of our own');
    expect(await attempt()).toEqual({ hasEnded: true, waitMs: 0 });
    const ended = await read(projectId, id);
    expect(ended).toMatchObject({ status: 'failed', error: expect.stringContaining('because of an internal error') });
  });

  test('waits for others when the organization has twenty at work', async () => {
    const projects = [];
    for (let n = 0; n < 22; n += 1) projects.push(await createProject({ name: `Project ${n}` }));
    const ask = async (id: string) => (await user.client.post(`/api/projects/${id}/sync-issues`)).status;
    const statuses = await Promise.all(projects.map(ask));
    expect(statuses.toSorted((a, b) => a - b)).toEqual([...Array.from({ length: 20 }, () => 202), 409, 409]);
  });

  test('is one at a time for a project, and needs a repository', async () => {
    const projectId = await createProject();
    const [one, two] = await Promise.all([request(projectId), request(projectId)]);
    expect(one).toEqual(two);
    expect(one).toMatchObject({ status: 'queued', created: 0, updated: 0, total: 0 });
    while ((await goOn(projectId, one.id)) !== undefined) await read(projectId, one.id);
    const next = await request(projectId);
    expect(next.id).not.toBe(one.id);
    const { json } = await user.client.get<Sync[]>(`/api/projects/${projectId}/syncs`);
    expect(json.map(({ id }) => id)).toEqual([next.id, one.id]);
    const plain = await user.client.post<{ id: string }>('/api/projects', { name: 'No repository' });
    expect((await user.client.post(`/api/projects/${plain.json.id}/sync-issues`)).status).toBe(409);
  });

  test('is kept with the newest hundred of its project', async () => {
    const [projectId, other] = [await createProject(), await createProject()];
    const { id: oldest } = await request(projectId);
    const kept = await request(other);
    await api.database.system.query(`update project_syncs set status = 'completed', due_at = null where id = $1`, [
      oldest,
    ]);
    await api.database.system.query(
      `insert into project_syncs (id, org_id, project_id, status, position)
        select ('ffffffff-ffff-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $1, $2, 'completed', '{}'
        from generate_series(1, 102) n`,
      [user.orgId, projectId],
    );
    await purgeSyncs(api.database);
    const { rows } = await api.database.system.query<{ id: string }>(
      'select id from project_syncs where project_id = $1 order by id',
      [projectId],
    );
    expect(rows).toHaveLength(100);
    expect(rows[0]?.id).toBe('ffffffff-ffff-7000-8000-000000000003');
    expect(await read(other, kept.id)).toMatchObject({ status: 'queued' });
  });

  test('ends when its project is deleted in the meantime', async () => {
    host.world.addIssue();
    const projectId = await createProject();
    const { id } = await request(projectId);
    await user.client.delete(`/api/projects/${projectId}`);
    expect(await goOn(projectId, id)).toBeUndefined();
    await user.client.patch(`/api/projects/${projectId}/restore`);
    expect(await read(projectId, id)).toMatchObject({ status: 'failed' });
  });

  test('of another repository starts over, and keeps the issues of the one before', async () => {
    host.world.addIssue();
    const projectId = await createProject();
    await sync(projectId);
    hosts.gitea.world.addIssue();
    await user.client.patch(`/api/projects/${projectId}`, { repo_url: hosts.gitea.repoUrl, repo_type: 'gitea' });
    expect(await sync(projectId)).toMatchObject({ created: 1, total: 1 });
    expect(await issuesOf(projectId)).toHaveLength(2);
  });
});

describe.each(KINDS)('an issue of %s whose number cannot be stored', (kind) => {
  test('is left out and counted, and keeps no other away', async () => {
    host = hosts[kind];
    host.world.addIssue({ title: 'First' });
    host.world.addIssue({ title: 'Far too many', number: 2 ** 31 });
    host.world.addIssue({ title: 'Last' });
    const projectId = await createProject({ repo_type: kind }, host);
    expect(await sync(projectId)).toMatchObject({ status: 'completed', created: 2, skipped: 1 });
    expect((await issuesOf(projectId)).map(({ title }) => title)).toEqual(['First', 'Last']);
  });
});

test('what was deleted here is forgotten a year after its host last reported it', async () => {
  host = hosts.github;
  host.world.addIssue({ title: 'Deleted' });
  host.world.addComment(1, { body: 'Deleted, too' });
  host.world.addIssue({ title: 'Kept' });
  host.world.addComment(2, { body: 'Deleted alone' });
  const projectId = await createProject();
  await sync(projectId);
  const [deleted, kept] = await issuesOf(projectId);
  const [comment] = await commentsOf(kept?.id ?? '');
  await user.client.delete(`/api/issues/${deleted?.id}`);
  await user.client.delete(`/api/issues/${kept?.id}/comments/${String(comment?.['id'])}`);
  const { system } = api.database;
  const left = async () => {
    const { rows } = await system.query<{ issues: number; comments: number }>(
      `select (select count(*)::int from remote_issues where project_id = $1) as issues,
        (select count(*)::int from remote_comments where project_id = $1) as comments`,
      [projectId],
    );
    return rows[0];
  };
  const age = async (table: string, column: string) =>
    system.query(`update ${table} set ${column} = now() - interval '13 months' where project_id = $1`, [projectId]);
  await purgeGone(api.database);
  await age('remote_issues', 'synced_at');
  await age('remote_comments', 'changed_at');
  await purgeGone(api.database);
  expect(await left()).toEqual({ issues: 2, comments: 2 });
  for (const table of ['remote_issues', 'remote_comments'])
    await system.query(`update ${table} set gone_at = gone_at - interval '13 months' where project_id = $1`, [
      projectId,
    ]);
  await purgeGone(api.database);
  expect(await left()).toEqual({ issues: 1, comments: 0 });
});
