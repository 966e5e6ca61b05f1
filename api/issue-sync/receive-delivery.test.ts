import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { CodeHostKind } from '../../domain/projects.ts';
import { ApiClient } from '../../test/support/api-client.ts';
import { registerUser, type TestUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { startTestApi } from '../../test/support/test-api.ts';
import { UNKNOWN_ID } from '../../test/support/unknown-id.ts';

const SECRET = 'the secret of the webhook';
const served = serveTestApi();
let user: TestUser;
beforeAll(async () => {
  user = await registerUser(served.url);
});

type Fields = Readonly<Record<string, unknown>>;
interface Project {
  readonly id: string;
  readonly webhook_url: string;
}

async function createProject(kind: CodeHostKind = 'github', secret = SECRET): Promise<Project> {
  const fields = { repo_url: 'https://code.example.com/Example/Website', repo_type: kind, webhook_secret: secret };
  const { status, json } = await user.client.post<Project>('/api/projects', { name: 'Website', ...fields });
  expect(status).toBe(201);
  return json;
}

let deliveries = 0;

/** The headers with which a host signs a body. */
function headersOf(kind: CodeHostKind, event: string, body: string, secret = SECRET): Record<string, string> {
  const id = `delivery-${(deliveries += 1)}`;
  const hex = createHmac('sha256', secret).update(body).digest('hex');
  if (kind === 'github')
    return { 'X-GitHub-Event': event, 'X-GitHub-Delivery': id, 'X-Hub-Signature-256': `sha256=${hex}` };
  if (kind === 'gitea') return { 'X-Gitea-Event': event, 'X-Gitea-Delivery': id, 'X-Gitea-Signature': hex };
  return { 'X-Gitlab-Event': event, 'X-Gitlab-Event-UUID': id, 'X-Gitlab-Token': secret };
}

async function send(path: string, body: string, headers: Record<string, string>) {
  const { status, json } = await new ApiClient(served.url).send<Fields>('POST', path, body, headers);
  return { status, json };
}

const pathOf = (kind: string, id: string) => `/api/integrations/${kind}/webhook/${id}`;

async function deliver(kind: CodeHostKind, { id }: Project, event: string, payload: Fields) {
  const body = JSON.stringify(payload);
  return send(pathOf(kind, id), body, headersOf(kind, event, body));
}

const repository = { id: 4_242, full_name: 'example/website' };
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString();

function githubIssue(fields: Fields = {}): Fields {
  return {
    id: 77,
    number: 7,
    title: 'Seven',
    body: 'From GitHub.',
    state: 'open',
    labels: [{ name: 'bug' }],
    user: { login: 'octocat' },
    html_url: 'https://github.com/example/website/issues/7',
    created_at: at(0),
    updated_at: at(10),
    ...fields,
  };
}

function githubComment(fields: Fields = {}): Fields {
  return { id: 99, body: 'Hello.', user: { login: 'hubot' }, created_at: at(20), updated_at: at(20), ...fields };
}

const issuesOf = async ({ id }: Project) =>
  (await user.client.get<(Fields & { id: string })[]>(`/api/issues?project_id=${id}`)).json;
const commentsOf = async (project: Project) => {
  const [issue] = await issuesOf(project);
  return (await user.client.get<Fields[]>(`/api/issues/${issue?.id}/comments`)).json;
};

test("a project shows the address of its code host's webhook, and never the secret", async () => {
  const project = await createProject();
  expect(project.webhook_url).toBe(`https://everturn.example.com${pathOf('github', project.id)}`);
  expect(JSON.stringify(project)).not.toContain(SECRET);
  const plain = await user.client.post<Project>('/api/projects', { name: 'No repository' });
  expect(plain.json.webhook_url).toBeNull();
});

describe.each(['github', 'gitea'] as const)('a delivery of %s', (kind) => {
  test('adds an issue, changes it, and adds, changes and deletes its comments', async () => {
    const project = await createProject(kind);
    const accepted = { status: 200, json: { status: 'accepted' } };
    expect(await deliver(kind, project, 'issues', { action: 'opened', repository, issue: githubIssue() })).toEqual(
      accepted,
    );
    expect(await issuesOf(project)).toMatchObject([
      { title: 'Seven', status: 'backlog', labels: ['bug'], remote: { number: 7, author: 'octocat' } },
    ]);
    const closed = githubIssue({ state: 'closed', title: 'Closed', updated_at: at(15) });
    await deliver(kind, project, 'issues', { action: 'closed', repository, issue: closed });
    expect(await issuesOf(project)).toMatchObject([{ title: 'Closed', status: 'done' }]);
    const deliverOne = async (action: string, comment: Fields) =>
      deliver(kind, project, 'issue_comment', { action, repository, issue: closed, comment });
    await deliverOne('created', githubComment());
    expect(await commentsOf(project)).toMatchObject([{ content: 'Hello.', remote: { author: 'hubot' } }]);
    await deliverOne('edited', githubComment({ body: 'Edited.', updated_at: at(30) }));
    expect(await commentsOf(project)).toMatchObject([{ content: 'Edited.' }]);
    await deliverOne('deleted', githubComment({ updated_at: at(30) }));
    expect(await commentsOf(project)).toEqual([]);
  });

  test('counts once, in whatever order it comes', async () => {
    const project = await createProject(kind);
    const body = JSON.stringify({
      action: 'edited',
      repository,
      issue: githubIssue({ title: 'New', updated_at: at(60) }),
    });
    const headers = headersOf(kind, 'issues', body);
    const path = pathOf(kind, project.id);
    const answers = await Promise.all(Array.from({ length: 8 }, async () => send(path, body, headers)));
    expect(answers.filter(({ json }) => json['status'] === 'accepted')).toHaveLength(1);
    expect(answers.filter(({ json }) => json['status'] === 'repeated')).toHaveLength(7);
    await deliver(kind, project, 'issues', { action: 'opened', repository, issue: githubIssue() });
    expect(await issuesOf(project)).toMatchObject([{ title: 'New' }]);
    // Deleted before its creation is told.
    const issue = githubIssue({ updated_at: at(60) });
    const deliverOne = async (action: string) =>
      deliver(kind, project, 'issue_comment', { action, repository, issue, comment: githubComment() });
    await deliverOne('deleted');
    await deliverOne('created');
    expect(await commentsOf(project)).toEqual([]);
  });

  test('counts once under whatever id and as whatever event it is sent again', async () => {
    const project = await createProject(kind);
    const body = JSON.stringify({ action: 'opened', repository, issue: githubIssue() });
    const path = pathOf(kind, project.id);
    const answers = [];
    for (const event of ['issues', 'issues', 'push'])
      answers.push(await send(path, body, headersOf(kind, event, body)));
    expect(answers.map(({ json }) => json['status'])).toEqual(['accepted', 'repeated', 'repeated']);
  });

  test('is remembered with the last five thousand ids of its project', async () => {
    const project = await createProject(kind);
    const { system } = served.api.database;
    await system.query(
      `insert into host_deliveries (project_id, delivery_id, org_id, received_at)
        select id, 'd' || n, org_id, now() - n * interval '1 minute' from projects, generate_series(1, 5001) n where id = $1`,
      [project.id],
    );
    await deliver(kind, project, 'issues', { action: 'opened', repository, issue: githubIssue() });
    const { rows } = await system.query<{ delivery_id: string }>(
      'select delivery_id from host_deliveries where project_id = $1 order by received_at',
      [project.id],
    );
    expect(rows).toHaveLength(5_000);
    expect(rows[0]?.delivery_id).not.toBe('d5001');
  });

  test('of an issue that is gone leaves it here, in step with nothing any more', async () => {
    const project = await createProject(kind);
    await deliver(kind, project, 'issues', { action: 'opened', repository, issue: githubIssue() });
    await deliver(kind, project, 'issues', { action: 'deleted', repository, issue: githubIssue() });
    await deliver(kind, project, 'issues', { action: 'edited', repository, issue: githubIssue({ title: 'Late' }) });
    expect(await issuesOf(project)).toMatchObject([{ title: 'Seven', remote: null }]);
  });
});

describe('a delivery of gitlab', () => {
  const project = { id: 4_242, path_with_namespace: 'example/website' };
  const issueHook = (fields: Fields = {}, labels = ['bug']): Fields => ({
    object_kind: 'issue',
    user: { username: 'tanuki' },
    project,
    labels: labels.map((title, id) => ({ id, title })),
    object_attributes: {
      id: 301,
      iid: 23,
      title: 'From GitLab',
      description: 'A text.',
      state: 'opened',
      action: 'open',
      url: 'https://gitlab.com/example/website/-/issues/23',
      created_at: '2026-01-01 00:00:00 UTC',
      updated_at: '2026-01-01 00:00:10 UTC',
      ...fields,
    },
  });
  const noteHook = (fields: Fields = {}): Fields => ({
    object_kind: 'note',
    user: { username: 'tanuki' },
    project,
    issue: { id: 301, iid: 23 },
    object_attributes: {
      id: 1_241,
      note: 'A note.',
      noteable_type: 'Issue',
      system: false,
      created_at: '2026-01-01 00:00:20 UTC',
      updated_at: '2026-01-01 00:00:20 UTC',
      ...fields,
    },
  });

  test('adds and changes issues and comments, whose author stays', async () => {
    const own = await createProject('gitlab');
    expect((await deliver('gitlab', own, 'Issue Hook', issueHook())).json).toEqual({ status: 'accepted' });
    const closed = issueHook({ state: 'closed', action: 'close', updated_at: '2026-01-01T00:00:30Z' }, []);
    await deliver('gitlab', own, 'Issue Hook', { ...closed, user: { username: 'another' } });
    expect(await issuesOf(own)).toMatchObject([
      { status: 'done', labels: [], remote: { number: 23, author: 'tanuki' } },
    ]);
    await deliver('gitlab', own, 'Note Hook', noteHook());
    expect((await deliver('gitlab', own, 'Note Hook', noteHook({ id: 5, system: true }))).json).toEqual({
      status: 'ignored',
    });
    await deliver('gitlab', own, 'Note Hook', noteHook({ id: 6, noteable_type: 'MergeRequest' }));
    expect(await commentsOf(own)).toMatchObject([{ content: 'A note.', remote: { author: 'tanuki' } }]);
  });

  test('may be signed as the Standard Webhooks say, by a recent time', async () => {
    const secret = `whsec_${Buffer.from('the signing token of the webhook').toString('base64')}`;
    const own = await createProject('gitlab', secret);
    const body = JSON.stringify(issueHook());
    const sign = (time: number, key = 'the signing token of the webhook') => {
      const signature = createHmac('sha256', key).update(`an-id-${time}.${time}.${body}`).digest('base64');
      return {
        'X-Gitlab-Event': 'Issue Hook',
        'webhook-id': `an-id-${time}`,
        'webhook-timestamp': String(time),
        'webhook-signature': `v1,d3Jvbmc= v1,${signature}`,
      };
    };
    const now = Math.floor(Date.now() / 1_000);
    const path = pathOf('gitlab', own.id);
    expect((await send(path, body, sign(now - 3_600))).status).toBe(404);
    expect((await send(path, body, sign(now, 'another key'))).status).toBe(404);
    expect(await send(path, body, sign(now))).toEqual({ status: 200, json: { status: 'accepted' } });
  });
});

test('a copied mark of a comment that was written here counts on its own issue only, and once', async () => {
  const project = await createProject();
  const second = githubIssue({ id: 78, number: 8, title: 'Eight' });
  for (const issue of [githubIssue(), second])
    await deliver('github', project, 'issues', { action: 'opened', repository, issue });
  const [seven] = (await issuesOf(project)).filter(({ title }) => title === 'Seven');
  const path = `/api/issues/${seven?.id}/comments`;
  const { json: own } = await user.client.post<{ id: string }>(path, { content: 'Said here.' });
  const deliverOne = async (id: number, issue: Fields, body: string) => {
    const comment = githubComment({ id, body: `${body}\n\n<!-- everturn comment ${own.id} -->` });
    return deliver('github', project, 'issue_comment', { action: 'created', repository, issue, comment });
  };
  await deliverOne(1, second, 'Forged elsewhere.');
  await deliverOne(2, githubIssue(), 'Said here.');
  await deliverOne(3, githubIssue(), 'Forged.');
  const said = (await user.client.get<Fields[]>(path)).json;
  expect(new Set(said.map(({ content }) => content))).toEqual(new Set(['Forged.', 'Said here.']));
  expect(said.find(({ id }) => id === own.id)).toMatchObject({ content: 'Said here.', remote: { author: 'hubot' } });
  const [eight] = (await issuesOf(project)).filter(({ title }) => title === 'Eight');
  const elsewhere = await user.client.get<Fields[]>(`/api/issues/${eight?.id}/comments`);
  expect(elsewhere.json).toMatchObject([{ content: 'Forged elsewhere.', user_id: null }]);
});

describe('a delivery', () => {
  const body = JSON.stringify({ action: 'opened', repository, issue: githubIssue() });

  test('with a wrong signature, without one, and for an unknown project are answered alike', async () => {
    const project = await createProject();
    const path = pathOf('github', project.id);
    const plain = await user.client.post<Project>('/api/projects', {
      name: 'No secret',
      repo_url: 'https://github.com/example/website',
    });
    const deleted = await createProject();
    await user.client.delete(`/api/projects/${deleted.id}`);
    const good = headersOf('github', 'issues', body);
    const answers = [
      await send(path, body, headersOf('github', 'issues', body, 'another secret')),
      await send(path, `${body} `, good),
      await send(path, body, { ...good, 'X-Hub-Signature-256': '' }),
      await send(path, body, { 'X-GitHub-Event': 'issues' }),
      await send(path, '', {}),
      await send(path, 'not JSON', {}),
      await send(pathOf('gitea', project.id), body, headersOf('gitea', 'issues', body)),
      await send(pathOf('github', UNKNOWN_ID), body, good),
      await send(pathOf('github', plain.json.id), body, good),
      await send(pathOf('github', deleted.id), body, good),
    ];
    const detail = 'There is no such webhook, or the signature does not match its secret';
    expect(answers).toEqual(answers.map(() => ({ status: 404, json: { detail } })));
    expect(await issuesOf(project)).toEqual([]);
  });

  test('is checked with the new secret once it was replaced, and by none when it was removed', async () => {
    const project = await createProject();
    const change = async (webhook_secret: string | null) =>
      user.client.patch(`/api/projects/${project.id}`, { webhook_secret });
    await change('another secret');
    const path = pathOf('github', project.id);
    expect((await send(path, body, headersOf('github', 'issues', body))).status).toBe(404);
    expect((await send(path, body, headersOf('github', 'issues', body, 'another secret'))).status).toBe(200);
    await change(null);
    expect((await send(path, body, headersOf('github', 'issues', body, 'another secret'))).status).toBe(404);
  });

  test.each([
    ['a ping', 'ping', { zen: 'Design for failure.', repository }],
    ['another event', 'star', { repository }],
    ['a push to another repository', 'push', { repository: { id: 1, full_name: 'example/other' } }],
    ['a pull request', 'issues', { repository, issue: githubIssue({ pull_request: {} }) }],
    ['another repository', 'issues', { repository: { id: 1, full_name: 'example/other' }, issue: githubIssue() }],
    ['an issue of another form', 'issues', { repository, issue: { id: 'seven' } }],
    ['an issue whose number is too large', 'issues', { repository, issue: githubIssue({ number: 2_147_483_653 }) }],
    [
      'a number that is larger still',
      'issues',
      { repository, issue: githubIssue({ number: Number.MAX_SAFE_INTEGER }) },
    ],
    ['nothing', 'issues', {}],
  ])('that tells of %s is ignored', async (_what, event, payload) => {
    const project = await createProject();
    expect(await deliver('github', project, event, payload)).toEqual({ status: 200, json: { status: 'ignored' } });
    expect(await issuesOf(project)).toEqual([]);
    const { rows } = await served.api.database.system.query(
      'select delivery_id from host_deliveries where project_id = $1',
      [project.id],
    );
    expect(rows).toEqual([]);
  });

  test.each([
    '+275760-09-13T00:00:00Z',
    '+200000-01-01T00:00:00Z',
    '-271821-04-20T00:00:00Z',
    '-005000-01-01T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00Z',
  ])('may tell of any time, such as %s', async (time) => {
    const project = await createProject();
    const times = { created_at: time, updated_at: time };
    const issue = githubIssue(times);
    const issueUrl = `https://github.com/example/website/issues/${2 ** 31}`;
    const comment = githubComment({ ...times, issue_url: issueUrl });
    const answer = await deliver('github', project, 'issue_comment', { action: 'created', repository, issue, comment });
    expect(answer).toEqual({ status: 200, json: { status: 'accepted' } });
    expect(await issuesOf(project)).toMatchObject([{ title: 'Seven' }]);
    expect(await commentsOf(project)).toMatchObject([{ content: 'Hello.' }]);
  });

  test('that reports a push has the repository read again', async () => {
    const project = await createProject();
    const { system: database } = served.api.database;
    await database.query("update repo_trees set due_at = now() + interval '1 hour' where project_id = $1", [
      project.id,
    ]);
    const push = { ref: 'refs/heads/main', repository };
    expect(await deliver('github', project, 'push', push)).toEqual({ status: 200, json: { status: 'accepted' } });
    const due = await database.query('select due_at <= now() as now from repo_trees where project_id = $1', [
      project.id,
    ]);
    expect(due.rows).toEqual([{ now: true }]);
  });

  test('is refused when it is no JSON, or too large', async () => {
    const project = await createProject();
    const path = pathOf('github', project.id);
    const signed = async (text: string, type: Record<string, string> = {}) =>
      (await send(path, text, { ...headersOf('github', 'issues', text), ...type })).status;
    expect(await signed('{')).toBe(422);
    expect(await signed(`{"a":${'['.repeat(1_000)}${']'.repeat(1_000)}}`)).toBe(422);
    expect(await signed('payload=%7B%7D', { 'content-type': 'application/x-www-form-urlencoded' })).toBe(415);
    expect(await signed(JSON.stringify({ text: 'x'.repeat(1024 ** 2) }))).toBe(413);
  });
});

test('signed deliveries are limited for each project, and all others by address', async () => {
  const { url: databaseUrl } = served.api.database;
  const requestRates = { perUser: 0, perKey: 0, perAddress: 3, perWebhook: 5 };
  const limited = await startTestApi({ databaseUrl, temporalAddress: '127.0.0.1:1', requestRates });
  const [busy, other] = [await createProject(), await createProject()];
  const body = JSON.stringify({ repository });
  const statuses = async (count: number, id: string, secret = SECRET) => {
    const one = async () => {
      const headers = headersOf('github', 'push', body, secret);
      return new ApiClient(limited.url).send('POST', pathOf('github', id), body, headers);
    };
    return (await Promise.all(Array.from({ length: count }, one)))
      .map(({ status }) => status)
      .toSorted((a, b) => a - b);
  };
  expect(await statuses(7, busy.id)).toEqual([200, 200, 200, 200, 200, 429, 429]);
  // Who cannot sign uses up the allowance of their address, and nothing of the project's.
  expect(await statuses(2, other.id, 'another secret')).toEqual([404, 404]);
  expect(await statuses(3, UNKNOWN_ID)).toEqual([404, 429, 429]);
  expect(await statuses(1, other.id, 'another secret')).toEqual([429]);
  expect(await statuses(5, other.id)).toEqual([200, 200, 200, 200, 200]);
  await limited.close();
});
