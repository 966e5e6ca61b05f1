import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { SecretBox } from '../db/core/secret-box.ts';
import { withMarker } from '../domain/issue-sync/remote-records.ts';
import { parsePrivateHosts } from '../domain/network/addresses.ts';
import { parseOrgLimits } from '../domain/orgs.ts';
import type { CodeHostKind } from '../domain/projects.ts';
import { HOST_TOKEN, HostServer, World } from '../test/support/code-hosts/index.ts';
import { registerUser, type TestUser } from '../test/support/factories.ts';
import { startTestApi, TEST_SECRET_KEY, type TestApi } from '../test/support/test-api.ts';
import { createTestDatabase, type TestDatabase } from '../test/support/test-database.ts';
import { createGuardedFetch } from './core/network/guarded-fetch.ts';
import { createGuardedHttp } from './core/network/guarded-http.ts';
import { sendNext } from './issue-pushes.ts';
import { continueSync } from './issue-sync/read-from-host.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Issue {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly labels: readonly string[];
  readonly remote: Fields | null;
}

const KINDS: readonly CodeHostKind[] = ['github', 'gitlab', 'gitea'];
let testDatabase: TestDatabase;
let api: TestApi;
let hosts: Record<CodeHostKind, HostServer>;
let host: HostServer;
let user: TestUser;
let guarded: ReturnType<typeof createGuardedFetch>;
let projectId: string;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const [github, gitlab, gitea] = await Promise.all(KINDS.map((kind) => HostServer.start(kind)));
  hosts = { github, gitlab, gitea } as Record<CodeHostKind, HostServer>;
  const privateHosts = KINDS.map((kind) => `127.0.0.1:${hosts[kind].port}`).join(',');
  guarded = createGuardedFetch(parsePrivateHosts(privateHosts));
  api = await startTestApi({ databaseUrl: testDatabase.url, temporalAddress: '127.0.0.1:1', privateHosts });
});

afterAll(async () => {
  for (const each of Object.values(hosts)) each.close();
  await guarded.close();
  await api.close();
  await testDatabase.drop();
});

async function begin(kind: CodeHostKind, direction = 'both'): Promise<void> {
  host = hosts[kind];
  host.reset();
  user = await registerUser(api.url);
  const project = { name: 'Website', repo_url: host.repoUrl, repo_type: kind, sync_direction: direction };
  projectId = (await user.client.post<{ id: string }>('/api/projects', project)).json.id;
  host.world.addIssue({ title: 'There', labels: ['bug', 'ui'] });
  await sync();
}

const deps = () => ({
  database: api.database,
  box: new SecretBox([TEST_SECRET_KEY]),
  http: createGuardedHttp(guarded.fetch),
  limits: parseOrgLimits(''),
});
const { signal } = new AbortController();

async function sync(): Promise<Fields> {
  const path = `/api/projects/${projectId}/sync-issues`;
  const { id: syncId } = (await user.client.post<{ id: string }>(path)).json;
  while (!(await continueSync(deps(), { orgId: user.orgId, projectId, syncId }, signal)).hasEnded);
  return (await user.client.get<Fields>(`/api/projects/${projectId}/syncs/${syncId}`)).json;
}

const push = async () => sendNext(deps(), { orgId: user.orgId, projectId }, signal);
const issueHere = async () => (await user.client.get<Issue[]>(`/api/issues?project_id=${projectId}`)).json[0];
const change = async (fields: Fields) => user.client.patch(`/api/issues/${(await issueHere())?.id}`, fields);
const commentsPath = async () => `/api/issues/${(await issueHere())?.id}/comments`;
const say = async (content: string) => user.client.post(await commentsPath(), { content });
const commentsHere = async () => (await user.client.get<Fields[]>(await commentsPath())).json;
const waiting = async () => (await api.database.system.query('select from issue_pushes where error is null')).rowCount;

describe.each(KINDS)('what is written here of an issue at %s', (kind) => {
  beforeEach(async () => begin(kind));

  test('goes there once, and does not come back as something new', async () => {
    await change({ title: 'Here', labels: ['bug', 'new'], status: 'cancelled', description: 'Stays here.' });
    await change({ priority: 'high' });
    await say('Said here.');
    expect(await push()).toEqual({ hasEnded: true, waitMs: 0 });
    expect(host.world.issue(1)).toMatchObject({ title: 'Here', isOpen: false, body: 'What is to be done.' });
    expect(host.world.issue(1).labels.toSorted()).toEqual(['bug', 'new']);
    expect(host.world.comments.map(({ body }) => body)).toEqual([expect.stringMatching(/^Said here\.\n\n<!-- /)]);
    const { length } = host.writes;
    host.world.tick(3_600);
    host.world.change(host.world.issue(1), {});
    expect(await sync()).toMatchObject({ created: 0, updated: 0, comments: 0 });
    expect(await issueHere()).toMatchObject({
      title: 'Here',
      status: 'cancelled',
      remote: { conflicts: null, push_error: null },
    });
    expect(await commentsHere()).toMatchObject([
      { content: 'Said here.', user_id: user.id, remote: { author: 'everturn-bot' } },
    ]);
    await push();
    expect([host.writes.length, await waiting()]).toEqual([length, 0]);
    await change({ status: 'todo' });
    await push();
    expect(host.world.issue(1)).toMatchObject({ isOpen: true });
  });

  test('is changed there, unless the host has refused it', async () => {
    const { json } = await say('Said here.');
    const path = `${await commentsPath()}/${String((json as Fields)['id'])}`;
    const edit = async (content: string) => {
      const { status, json: answer } = await user.client.patch<Fields>(path, { content });
      return [status, answer['detail']];
    };
    expect(await edit('x')).toEqual([409, expect.stringContaining('is being written to the code host')]);
    host.fail(1, refuse);
    await push();
    expect(await edit('Said better.')).toEqual([200, undefined]);
    await change({ title: 'Here' });
    await push();
    expect(host.world.comments.map(({ body }) => body)).toEqual([expect.stringMatching(/^Said better\./)]);
    expect(await edit('x')).toEqual([409, expect.stringContaining('has this comment: change it there')]);
    expect(await commentsHere()).toMatchObject([{ content: 'Said better.' }]);
  });

  test('is written once when it died before it could note so', async () => {
    await say('Said here.');
    // The host has written it, and the answer is lost.
    host.fail(1, ({ request, response }) => {
      if (request.method !== 'POST') return false;
      host.world.addComment(1, { body: String(lastBody()), author: 'everturn-bot' });
      return void response.destroy();
    });
    expect((await push()).waitMs).toBeGreaterThan(0);
    expect(await push()).toEqual({ hasEnded: true, waitMs: 0 });
    expect(host.world.comments).toHaveLength(1);
    expect(await commentsHere()).toHaveLength(1);
  });
});

const errorHere = async () => (await issueHere())?.remote?.['push_error'];
const dueProjects = async () => {
  const due = 'select project_id as id from issue_pushes where due_at <= now()';
  return (await api.database.system.query<{ id: string }>(due)).rows.map(({ id }) => id);
};
const refuse: Parameters<HostServer['fail']>[1] = ({ response }) => void response.writeHead(403).end('{}');
const refuseAsDown: Parameters<HostServer['fail']>[1] = ({ response }) => void response.writeHead(503).end();
const lastBody = () => (JSON.parse(host.writes.at(-1)?.replace(/^[^{]+/, '') ?? '{}') as Fields)['body'];

describe('at GitHub', () => {
  test('what both sides have changed is as it is there', async () => {
    await begin('github');
    await change({ title: 'Here', labels: ['mine'] });
    host.world.change(host.world.issue(1), { title: 'There again' });
    await push();
    expect(host.world.issue(1)).toMatchObject({ title: 'There again', labels: ['mine'] });
    expect(await issueHere()).toMatchObject({
      title: 'There again',
      remote: { conflicts: [{ field: 'title', here: 'Here' }] },
    });
  });

  test('what the host does not take is shown on the issue, and its waits are kept', async () => {
    await begin('github');
    await change({ title: 'Here' });
    host.fail(1, ({ response }) => void response.writeHead(429, { 'Retry-After': '5' }).end());
    expect(await push()).toEqual({ hasEnded: false, waitMs: 6_000 });
    host.fail(1, () => false);
    host.fail(1, ({ response }) => void response.writeHead(403).end('{}'));
    expect(await push()).toEqual({ hasEnded: true, waitMs: 0 });
    expect(await issueHere()).toMatchObject({ title: 'Here', remote: { push_error: expect.stringContaining('403') } });
    await change({ title: 'Here again' });
    await push();
    expect(host.world.issue(1).title).toBe('Here again');
    expect(await issueHere()).toMatchObject({ remote: { push_error: null } });
  });

  test('is shown on the issue when it meets an unexpected error again and again', async () => {
    await begin('github');
    await change({ title: 'Here' });
    const fail = async () => Promise.reject(new TypeError('An error of our own'));
    const ref = { orgId: user.orgId, projectId };
    const attempt = async () => sendNext({ ...deps(), http: { request: fail } }, ref, signal);
    for (let n = 0; n < 5; n += 1) await expect(attempt()).rejects.toThrow('of our own');
    expect(await attempt()).toEqual({ hasEnded: true, waitMs: 0 });
    expect(await issueHere()).toMatchObject({
      remote: { push_error: expect.stringContaining('because of an internal error') },
    });
  });

  test('goes to no issue of the same number in another repository that the project was given', async () => {
    await begin('github');
    await change({ title: 'Here' });
    await say('Said here.');
    host.world = new World({ repoId: 4_243, path: 'example/second', lastId: 9_000 });
    host.world.addIssue({ title: 'Another' });
    await user.client.patch(`/api/projects/${projectId}`, { repo_url: host.repoUrl, repo_type: 'github' });
    const { id } = (await issueHere()) ?? {};
    const former = async () => (await user.client.get<Issue>(`/api/issues/${id}`)).json;
    expect([await push(), await waiting(), host.writes]).toEqual([{ hasEnded: true, waitMs: 0 }, 0, []]);
    expect(await former()).toMatchObject({
      title: 'Here',
      remote: { push_error: expect.stringContaining('not known to be in the repository') },
    });
    await sync();
    await user.client.patch(`/api/issues/${id}`, { title: 'Here again' });
    expect([await push(), await waiting(), host.writes]).toEqual([{ hasEnded: true, waitMs: 0 }, 0, []]);
    expect(host.world.issue(1)).toMatchObject({ title: 'Another' });
  });

  test('what it refuses is kept, and sent when the integration gets other credentials', async () => {
    await begin('github');
    host.isPrivate = true;
    const fields = { kind: 'github', name: uuidv7(), base_url: `${host.url}/api/v3` };
    const wrong = { ...fields, credentials: { token: 'a-wrong-token' } };
    const { id } = (await user.client.post<{ id: string }>('/api/integrations', wrong)).json;
    await user.client.patch(`/api/projects/${projectId}`, { integration_id: id });
    await say('Said here.');
    await change({ title: 'Here' });
    expect([await push(), await waiting(), host.world.comments]).toEqual([{ hasEnded: true, waitMs: 0 }, 0, []]);
    expect(await errorHere()).toContain('rejected the credentials');
    expect(await dueProjects()).not.toContain(projectId);
    await user.client.patch(`/api/integrations/${id}`, { credentials: { token: HOST_TOKEN } });
    expect(await dueProjects()).toContain(projectId);
    expect(await push()).toEqual({ hasEnded: true, waitMs: 0 });
    expect(host.world.issue(1).title).toBe('Here');
    expect(host.world.comments).toHaveLength(1);
    expect(await errorHere()).toBeNull();
  });

  test('what it refuses stays shown when something else is sent, and is sent with the next change', async () => {
    await begin('github');
    await say('Said here.');
    await change({ title: 'Here' });
    host.fail(1, refuse);
    await push();
    expect([host.world.issue(1).title, host.world.comments]).toEqual(['Here', []]);
    expect(await errorHere()).toContain('403');
    await change({ title: 'Here again' });
    await push();
    expect(host.world.comments).toHaveLength(1);
    expect(await errorHere()).toBeNull();
  });

  test('what could not be sent in an outage is sent after the next sync, comments once', async () => {
    await begin('github');
    await change({ title: 'Here' });
    await say('Said here.');
    await api.database.system.query('update issue_pushes set attempts = 15');
    host.fail(1, refuseAsDown);
    host.fail(1, refuseAsDown);
    expect([await push(), await waiting()]).toEqual([{ hasEnded: true, waitMs: 0 }, 0]);
    expect(await errorHere()).not.toBeNull();
    // It had written the comment all the same.
    const { id } = (await commentsHere())[0] ?? {};
    host.world.addComment(1, { body: withMarker('Said here.', String(id)), author: 'everturn-bot' });
    await sync();
    expect([await push(), await waiting()]).toEqual([{ hasEnded: true, waitMs: 0 }, 0]);
    expect(host.world.issue(1).title).toBe('Here');
    expect(host.world.comments).toHaveLength(1);
    expect(await commentsHere()).toHaveLength(1);
    expect(await errorHere()).toBeNull();
  });

  test('a refusal is forgotten when a sync leaves nothing to send', async () => {
    await begin('github');
    await change({ title: 'Here' });
    host.fail(1, refuse);
    await push();
    expect(await errorHere()).toContain('403');
    host.world.tick(3_600);
    host.world.change(host.world.issue(1), { title: 'There again' });
    await sync();
    const { length } = host.writes;
    await push();
    expect(host.writes).toHaveLength(length);
    expect(await issueHere()).toMatchObject({ title: 'There again', remote: { push_error: null } });
  });

  test('goes to the repository by its new name when it was renamed, and nowhere else', async () => {
    await begin('github');
    host.world.formerPaths.push(host.world.path);
    host.world.path = 'example/renamed';
    await change({ title: 'Here', labels: ['mine'] });
    await say('Said here.');
    expect([await push(), await waiting()]).toEqual([{ hasEnded: true, waitMs: 0 }, 0]);
    expect(host.world.issue(1)).toMatchObject({ title: 'Here', labels: ['mine'] });
    expect(host.world.comments).toHaveLength(1);
    // A host that leads on and on is followed once, and to another host not at all.
    for (const location of [`${host.url}/api/v3/again`, 'http://127.0.0.1:1/again']) {
      const { length } = host.writes;
      host.decide = async ({ method, response }) => {
        if (method !== 'GET') response.writeHead(307, { Location: location }).end();
        return 'answered';
      };
      await change({ title: `Not ${location}` });
      await push();
      expect(await errorHere()).toContain('redirects to another address');
      expect(host.writes).toHaveLength(length + (location.startsWith(host.url) ? 2 : 1));
    }
    expect(host.world.issue(1).title).toBe('Here');
  });

  test('nothing goes there from a project that is only read', async () => {
    await begin('github', 'pull');
    await change({ title: 'Here', status: 'done' });
    await say('Said here.');
    expect([await push(), await waiting(), host.writes]).toEqual([{ hasEnded: true, waitMs: 0 }, 0, []]);
  });
});
