import { beforeAll, describe, expect, test } from '@jest/globals';
import { SecretBox } from '../../db/core/secret-box.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { purgeProjectLogs } from '../../db/project-logs.ts';
import { acceptMessage } from '../../db/turns/accept-message.ts';
import { claimTurn } from '../../db/turns/claim/claim-turn.ts';
import { createAgent, createChain, registerUser, type TestUser } from '../../test/support/factories.ts';
import { registerColleague } from '../../test/support/people.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { TEST_SECRET_KEY } from '../../test/support/test-api.ts';

interface Project {
  readonly id: string;
  readonly name: string;
  readonly repo_url: string;
  readonly repo_type: string;
  readonly agent_ids: readonly string[];
  readonly has_webhook_secret: boolean;
}

interface Entry {
  readonly id: string;
  readonly action: string;
  readonly record_type: string;
  readonly title: string | null;
  readonly user_id: string;
  readonly changes: Readonly<Record<string, unknown>>;
}

const served = serveTestApi();
let owner: TestUser;

beforeAll(async () => {
  owner = await registerUser(served.url);
});

async function create(fields: Record<string, unknown> = {}, { client } = owner): Promise<Project> {
  const answer = await client.post<Project>('/api/projects', { name: 'Website', ...fields });
  expect(answer.status).toBe(201);
  return answer.json;
}

const logOf = async (id: string) => (await owner.client.get<Entry[]>(`/api/projects/${id}/logs`)).json;

test('projects are found by words of their name or description, as they are written', async () => {
  const other = await registerUser(served.url);
  const { id } = await create({ name: 'Mobile App' }, other);
  const described = await create({ name: 'Shop', description: 'Sells the APP, 50% off' }, other);
  const found = async (q: string) =>
    (await other.client.get<Project[]>(`/api/projects?q=${q}`)).json.map((project) => project.id);
  expect(await found('app')).toEqual([id, described.id]);
  expect(await found('50%25')).toEqual([described.id]);
  expect(await found('ship')).toEqual([]);
});

describe('the repository of a project', () => {
  test.each([
    ['https://github.com/example/app', 'github'],
    ['https://gitlab.com/group/sub/app.git', 'gitlab'],
    ['https://codeberg.org/example/app', 'gitea'],
  ])('at a commonly known host needs no type: %s', async (url, type) => {
    expect(await create({ repo_url: url })).toMatchObject({ repo_url: url, repo_type: type });
  });

  test.each([
    ['https://ada:secret@github.com/example/app', 'repo_url', 'user name or password'],
    ['https://token@github.com/example/app', 'repo_url', 'user name or password'],
    ['https://github.com/example/app?private_token=abc', 'repo_url', 'query'],
    ['https://github.com/example/app#token', 'repo_url', 'fragment'],
    ['http://127.0.0.1/example/app', 'repo_url', 'private address'],
    ['http://[::1]/example/app', 'repo_url', 'private address'],
    ['http://169.254.169.254/latest/meta-data', 'repo_url', 'private address'],
    ['http://localhost/example/app', 'repo_url', 'private address'],
    ['git@github.com:example/app.git', 'repo_url', 'valid URL'],
    ['ssh://git@github.com/example/app', 'repo_url', 'must begin with'],
    ['file:///etc/passwd', 'repo_url', 'must begin with'],
    ['https://github.com/example', 'repo_url', 'must name a repository'],
    ['https://github.com/example/...git', 'repo_url', 'by names that show as they are'],
    ['https://github.com/example/..git', 'repo_url', 'by names that show as they are'],
    ['https://github.com/example/.git', 'repo_url', 'by names that show as they are'],
    ['https://github.com/example/%2e%2e%2egit', 'repo_url', 'by names that show as they are'],
    ['https://github.com/example/a%2F..%2Fb', 'repo_url', 'by names that show as they are'],
    ['https://github.com/example/app\u202Egit', 'repo_url', 'by names that show as they are'],
    ['https://github.com/example\\app', 'repo_url', 'backslash'],
    ['https://git.example.com/example/app', 'repo_type', 'is required'],
  ])('is refused as %s', async (url, field, words) => {
    const project = await create();
    const answers = [
      await owner.client.post('/api/projects', { name: 'x', repo_url: url }),
      await owner.client.patch(`/api/projects/${project.id}`, { repo_url: url }),
    ];
    for (const { status, json } of answers) {
      expect(status).toBe(422);
      expect(json).toMatchObject({ detail: [{ loc: ['body', field], msg: expect.stringContaining(words) }] });
    }
  });

  test('keeps its type at another address of an own host, takes that of a known one, and loses both at once', async () => {
    const { id } = await create({ repo_url: 'https://git.example.com/a/b', repo_type: 'gitea' });
    const change = async (body: object) => {
      const { json } = await owner.client.patch<Project>(`/api/projects/${id}`, body);
      return [json.repo_url, json.repo_type];
    };
    expect(await change({ repo_url: 'https://git.example.com/a/c' })).toEqual(['https://git.example.com/a/c', 'gitea']);
    expect(await change({ repo_url: 'https://github.com/a/c' })).toEqual(['https://github.com/a/c', 'github']);
    expect(await change({ repo_url: '' })).toEqual(['', '']);
    const answer = await owner.client.patch(`/api/projects/${id}`, { repo_type: 'github' });
    expect(answer.status).toBe(422);
  });
});

describe('the integration of a project', () => {
  const addIntegration = async (kind: string, { client } = owner) => {
    const integration = { kind, name: `Code ${Math.random()}`, credentials: { token: 'a-token-of-the-host' } };
    const { status, json } = await client.post<{ id: string }>('/api/integrations', integration);
    expect(status).toBe(201);
    return json.id;
  };
  const repo = { repo_url: 'https://github.com/example/app' };

  test('is one for its kind of code host, and is left behind when it is deleted', async () => {
    const [github, gitlab] = [await addIntegration('github'), await addIntegration('gitlab')];
    const { id } = await create({ ...repo, integration_id: github });
    const path = `/api/projects/${id}`;
    expect((await owner.client.get(path)).json).toMatchObject({ integration_id: github, integration_error: null });
    expect((await owner.client.patch(path, { integration_id: gitlab })).status).toBe(422);
    expect((await owner.client.patch(path, { repo_url: 'https://gitlab.com/example/app' })).status).toBe(422);
    expect((await owner.client.patch(path, { repo_url: '' })).status).toBe(422);
    const { system } = served.api.database;
    await system.query("update integrations set error = 'The token has expired' where id = $1", [github]);
    expect((await owner.client.get(path)).json).toMatchObject({ integration_error: 'The token has expired' });
    await owner.client.delete(`/api/integrations/${github}`);
    expect((await owner.client.get(path)).json).toMatchObject({ integration_id: null, integration_error: null });
  });

  test('is unknown to a member who may not see integrations, and when it is another organization’s', async () => {
    const integrationId = await addIntegration('github');
    const member = await registerColleague(served.api, owner, 'member');
    const group = { name: 'No integrations', permissions: ['projects.manage'] };
    const { json } = await owner.client.post<{ id: string }>('/api/permissions/groups', group);
    await owner.client.send('PUT', `/api/permissions/groups/${json.id}/members`, { user_ids: [member.id] });
    const foreign = await addIntegration('github', await registerUser(served.url));
    const answers = [
      await member.client.post('/api/projects', { name: 'x', ...repo, integration_id: integrationId }),
      await owner.client.post('/api/projects', { name: 'x', ...repo, integration_id: foreign }),
    ];
    for (const { status, json: problem } of answers)
      expect([status, problem]).toEqual([404, { detail: 'Integration not found' }]);
  });
});

test('the integration of a project is led elsewhere by those only who may see integrations', async () => {
  const integration = { kind: 'github', name: 'Code', credentials: { token: 'a-token-of-the-host' } };
  const { json: added } = await owner.client.post<{ id: string }>('/api/integrations', integration);
  const repository = { repo_url: 'https://github.com/example/app', repo_type: 'github' };
  const { id } = await create({ ...repository, integration_id: added.id });
  const member = await registerColleague(served.api, owner, 'member');
  const group = { name: 'Projects only', permissions: ['projects.manage'] };
  const { json } = await owner.client.post<{ id: string }>('/api/permissions/groups', group);
  await owner.client.send('PUT', `/api/permissions/groups/${json.id}/members`, { user_ids: [member.id] });
  const change = async (fields: object) => (await member.client.patch(`/api/projects/${id}`, fields)).status;
  expect(await change({ repo_url: 'https://github.com/mallory/other' })).toBe(403);
  expect(await change({ repo_url: 'https://git.example.com/a/b', repo_type: 'github' })).toBe(403);
  expect(await change({ sync_direction: 'both' })).toBe(403);
  expect(await change({ ...repository, sync_direction: 'pull', name: 'Renamed' })).toBe(200);
  expect(await change({ repo_url: 'https://github.com/example/other', integration_id: null })).toBe(200);
  expect(await create({})).toMatchObject({ integration_id: null });
});

describe('the webhook secret of a project', () => {
  test('is stored encrypted for its row, never shown, replaced and removed', async () => {
    const created = await create({ webhook_secret: 'first secret' });
    expect(created.has_webhook_secret).toBe(true);
    const stored = async () => {
      const { rows } = await served.api.database.system.query<{ secret: Buffer | null }>(
        'select webhook_secret as secret from projects where id = $1',
        [created.id],
      );
      const { secret = null } = rows[0] ?? {};
      const location = `projects/${owner.orgId}/${created.id}`;
      return secret === null ? null : new SecretBox([TEST_SECRET_KEY]).open(secret, location);
    };
    expect(await stored()).toBe('first secret');
    const change = async (secret: string | null) =>
      (await owner.client.patch<Project>(`/api/projects/${created.id}`, { webhook_secret: secret })).json;
    const changed = await change('second secret');
    expect(JSON.stringify([created, changed, await logOf(created.id)])).not.toMatch(/(?:first|second) secret/);
    expect(await stored()).toBe('second secret');
    expect(await change(null)).toMatchObject({ has_webhook_secret: false });
    expect(await stored()).toBeNull();
    const [entry] = await logOf(created.id);
    expect(entry).toMatchObject({ action: 'updated', changes: { webhook_secret: { from: null, to: null } } });
  });
});

test.each(['whsec_!!', 'whsec_?????????????????????', 'whsec_c2hvcnQ='])(
  'the webhook secret of a project is refused when its key is too short: %s',
  async (secret) => {
    const { id } = await create();
    expect((await owner.client.patch(`/api/projects/${id}`, { webhook_secret: secret })).status).toBe(422);
  },
);

test('the webhook secret of a project is set by those who may change webhooks', async () => {
  const { id } = await create();
  const member = await registerColleague(served.api, owner, 'member');
  const group = { name: 'No webhooks', permissions: ['projects.manage'] };
  const { json } = await owner.client.post<{ id: string }>('/api/permissions/groups', group);
  await owner.client.send('PUT', `/api/permissions/groups/${json.id}/members`, { user_ids: [member.id] });
  const secret = { webhook_secret: 'a new secret' };
  expect((await member.client.patch(`/api/projects/${id}`, secret)).status).toBe(403);
  expect((await member.client.post('/api/projects', { name: 'x', ...secret })).status).toBe(403);
  expect((await member.client.post('/api/projects', { name: 'x' })).status).toBe(201);
});

describe('the agents of a project', () => {
  test('are set in their order, once each, and are listed with what each is doing', async () => {
    const [one, two, three] = [
      await createAgent(owner.client, { name: 'One' }),
      await createAgent(owner.client, { name: 'Two' }),
      await createAgent(owner.client, { name: 'Three' }),
    ];
    const { id, agent_ids: first } = await create({ agent_ids: [two, one, two] });
    expect(first).toEqual([two, one]);
    const set = await owner.client.send<Project>('PUT', `/api/projects/${id}/agents`, { agent_ids: [three, two] });
    expect([set.status, set.json.agent_ids]).toEqual([200, [three, two]]);
    const { json: chat } = await owner.client.post<{ id: string }>('/api/chats', { agent_id: two, project_id: id });
    const message = { chatId: chat.id, content: 'work', clientMessageId: undefined };
    await acceptMessage(served.api.database, { orgId: owner.orgId, userId: owner.id }, message);
    const list = async ({ client } = owner) => (await client.get(`/api/projects/${id}/agents`)).json;
    const doing = { chat_id: chat.id, chat_title: 'work', status: 'queued', since: expect.any(String) };
    expect(await list()).toMatchObject([
      { id: three, name: 'Three', open_turns: 0, activity: [] },
      { id: two, name: 'Two', open_turns: 1, activity: [doing] },
    ]);
    // A chat that one may not read is counted, and not named.
    await owner.client.patch(`/api/chats/${chat.id}/sharing`, { shared: false });
    const colleague = await registerColleague(served.api, owner, 'member');
    expect(await list(colleague)).toMatchObject([{ id: three }, { id: two, open_turns: 1, activity: [] }]);
    await owner.client.delete(`/api/agents/${three}`);
    expect(await list()).toMatchObject([{ id: two }]);
    expect((await owner.client.get(`/api/projects/${id}`)).json).toMatchObject({ agent_ids: [two] });
  });

  test('that a member may not use are neither shown to them nor removed by them', async () => {
    const [seen, hidden] = [await createAgent(owner.client), await createAgent(owner.client)];
    const { id } = await create({ agent_ids: [hidden, seen] });
    const member = await registerColleague(served.api, owner, 'member');
    const group = { name: 'Certain agents', permissions: ['projects.manage'], capabilities: { agent_ids: [seen] } };
    const { json } = await owner.client.post<{ id: string }>('/api/permissions/groups', group);
    await owner.client.send('PUT', `/api/permissions/groups/${json.id}/members`, { user_ids: [member.id] });
    const path = `/api/projects/${id}`;
    expect((await member.client.get(path)).json).toMatchObject({ agent_ids: [seen] });
    expect((await member.client.get(`${path}/agents`)).json).toMatchObject([{ id: seen }]);
    const refused = await member.client.send('PUT', `${path}/agents`, { agent_ids: [hidden] });
    expect([refused.status, refused.json]).toEqual([404, { detail: 'Agent not found' }]);
    await member.client.patch(path, { agent_ids: [] });
    expect((await owner.client.get(path)).json).toMatchObject({ agent_ids: [hidden] });
  });
});

describe('the provider chain of a project', () => {
  test('comes after those of chat and agent and before the default, and is left behind when the project is deleted', async () => {
    const user = await registerUser(served.url);
    const [ofChat, ofAgent, ofProject, standard] = [
      await createChain(user.client, { name: 'of the chat' }),
      await createChain(user.client, { name: 'of the agent' }),
      await createChain(user.client, { name: 'of the project' }),
      await createChain(user.client, { name: 'default', is_default: true }),
    ];
    const agentId = await createAgent(user.client, { provider_chain_id: ofAgent });
    const { id: projectId } = await create({ provider_chain_id: ofProject }, user);
    const { json: chat } = await user.client.post<{ id: string }>('/api/chats', {
      agent_id: agentId,
      project_id: projectId,
    });
    await user.client.patch(`/api/chats/${chat.id}/provider-chain`, { provider_chain_id: ofChat });
    const message = { chatId: chat.id, content: 'work', clientMessageId: undefined };
    await acceptMessage(served.api.database, { orgId: user.orgId, userId: user.id }, message);
    const chosen = async () => {
      const turn = await claimTurn(served.api.database, { orgId: user.orgId, chatId: chat.id });
      return turn?.chain?.id;
    };
    expect(await chosen()).toBe(ofChat);
    await user.client.patch(`/api/chats/${chat.id}/provider-chain`, { provider_chain_id: null });
    expect(await chosen()).toBe(ofAgent);
    await user.client.patch(`/api/agents/${agentId}`, { provider_chain_id: null });
    expect(await chosen()).toBe(ofProject);
    await user.client.delete(`/api/projects/${projectId}`);
    expect(await chosen()).toBe(standard);
  });
});

describe('a deleted project', () => {
  test('takes its issues along, loses its chats with their tasks, and has all of them again when it is restored', async () => {
    const { id } = await create();
    const agentId = await createAgent(owner.client);
    const { json: chat } = await owner.client.post<{ id: string }>('/api/chats', { agent_id: agentId, project_id: id });
    const { json: issue } = await owner.client.post<{ id: string }>('/api/issues', { project_id: id, title: 'To do' });
    await owner.client.post('/api/tasks', { chat_id: chat.id, title: 'To do' });
    const board = async () => (await owner.client.get(`/api/board?project_id=${id}`)).json;
    const before = await board();
    const statuses = async () => [
      (await owner.client.get(`/api/projects/${id}`)).status,
      (await owner.client.get(`/api/issues/${issue.id}`)).status,
      (await owner.client.get(`/api/issues/${issue.id}/comments`)).status,
      (await owner.client.patch(`/api/issues/${issue.id}`, { priority: 'low' })).status,
      (await owner.client.post(`/api/issues/${issue.id}/comments`, { content: 'x' })).status,
      (await owner.client.get<unknown[]>(`/api/issues?project_id=${id}`)).json.length,
    ];
    expect(await statuses()).toEqual([200, 200, 200, 200, 201, 1]);
    expect((await owner.client.delete(`/api/projects/${id}`)).status).toBe(204);
    expect(await statuses()).toEqual([404, 404, 404, 404, 404, 0]);
    expect((await owner.client.get(`/api/chats/${chat.id}`)).json).toMatchObject({ project_id: null, shared: false });
    const create404 = await owner.client.post('/api/issues', { project_id: id, title: 'More' });
    expect([create404.status, create404.json]).toEqual([404, { detail: 'Project not found' }]);
    const restore = async () => (await owner.client.patch(`/api/projects/${id}/restore`)).status;
    expect([await restore(), await restore()]).toEqual([200, 409]);
    expect(await statuses()).toEqual([200, 200, 200, 200, 201, 1]);
    expect((await owner.client.get(`/api/chats/${chat.id}`)).json).toMatchObject({ project_id: id, shared: true });
    expect(await board()).toEqual(before);
    expect(before).toMatchObject({ columns: [{ status: 'pending', total: 1 }, {}, {}, {}, {}, {}] });
  });

  test('has chats back as private ones that were private, or went on while it was deleted', async () => {
    const { id } = await create();
    const agentId = await createAgent(owner.client);
    const chats = await Promise.all(
      ['quiet', 'private', 'told', 'tasked', 'deleted'].map(async (title) => {
        const fields = { agent_id: agentId, project_id: id, title };
        return (await owner.client.post<{ id: string }>('/api/chats', fields)).json.id;
      }),
    );
    const [, secret, notified, tasked, gone] = chats;
    await owner.client.patch(`/api/chats/${secret}/sharing`, { shared: false });
    await owner.client.delete(`/api/projects/${id}`);
    const { orgId, id: userId } = owner;
    const message = { chatId: notified ?? '', content: 'For me alone.', clientMessageId: undefined };
    await acceptMessage(served.api.database, { orgId, userId }, message);
    await owner.client.post('/api/tasks', { chat_id: tasked, title: 'To do' });
    await owner.client.delete(`/api/chats/${gone}`);
    await owner.client.patch(`/api/projects/${id}/restore`);
    await owner.client.patch(`/api/chats/${gone}/restore`);
    const shared = await Promise.all(
      chats.map(
        async (chat) => (await owner.client.get<{ project_id: string; shared: boolean }>(`/api/chats/${chat}`)).json,
      ),
    );
    expect(shared.map((chat) => [chat.project_id, chat.shared])).toEqual([
      [id, true],
      [id, false],
      [id, false],
      [id, false],
      [id, false],
    ]);
  });
});

describe('the log of a project', () => {
  test('says who did what, the newest first, and continues before an entry', async () => {
    const { id } = await create();
    await owner.client.patch(`/api/projects/${id}`, { name: 'Web' });
    await owner.client.patch(`/api/projects/${id}`, { name: 'Web' });
    const { json: issue } = await owner.client.post<{ id: string }>('/api/issues', { project_id: id, title: 'To do' });
    await owner.client.patch(`/api/issues/${issue.id}`, { status: 'todo', labels: ['a', 'b'] });
    await owner.client.post(`/api/issues/${issue.id}/comments`, { content: 'done soon' });
    await owner.client.delete(`/api/issues/${issue.id}`);
    const entries = await logOf(id);
    expect(entries.map(({ record_type: type, action, title }) => [type, action, title])).toEqual([
      ['issue', 'deleted', 'To do'],
      ['comment', 'created', 'To do'],
      ['issue', 'updated', 'To do'],
      ['issue', 'created', 'To do'],
      ['project', 'updated', 'Web'],
      ['project', 'created', 'Website'],
    ]);
    expect(entries[2]?.changes).toEqual({
      status: { from: 'backlog', to: 'todo' },
      labels: { from: [], to: ['a', 'b'] },
    });
    expect(entries[4]?.changes).toEqual({ name: { from: 'Website', to: 'Web' } });
    expect(new Set(entries.map(({ user_id: userId }) => userId))).toEqual(new Set([owner.id]));
    const before = await owner.client.get<Entry[]>(`/api/projects/${id}/logs?before=${entries[3]?.id}`);
    expect(before.json.map((entry) => entry.id)).toEqual([entries[4]?.id, entries[5]?.id]);
    expect(before.headers.get('x-total-count')).toBe('2');
    const other = await create();
    const unknown = await owner.client.get(`/api/projects/${other.id}/logs?before=${entries[3]?.id}`);
    expect([unknown.status, unknown.json]).toEqual([404, { detail: 'Log entry not found' }]);
  });

  test('has no entry of a change that was rolled back', async () => {
    const { id } = await create();
    const before = await logOf(id);
    const failing = owner.client.patch(`/api/projects/${id}`, { name: 'Other', provider_chain_id: owner.orgId });
    expect((await failing).status).toBe(404);
    await expect(
      withOrgTransaction(served.api.database, owner.orgId, async (em) => {
        await em.execute('update projects set name = ? where id = ?', ['x', id]);
        throw new Error('undone');
      }),
    ).rejects.toThrow('undone');
    expect(await logOf(id)).toEqual(before);
  });

  test('keeps entries for so many days, and no more than the newest 20,000', async () => {
    const { id } = await create();
    const [entry] = await logOf(id);
    const fill = async (count: number, age: string) =>
      served.api.database.system.query(
        `insert into project_logs (id, org_id, project_id, action, record_type, record_id)
          select uuidv7(-$3::interval), $1, $2, 'updated', 'issue', $2 from generate_series(1, $4)`,
        [owner.orgId, id, age, count],
      );
    const left = async () => {
      const { rows } = await served.api.database.system.query<{ id: string }>(
        'select id from project_logs where project_id = $1 order by id',
        [id],
      );
      return rows.map((row) => row.id);
    };
    await fill(3, '31 days');
    await fill(2, '29 days');
    await purgeProjectLogs(served.api.database, { days: 0 });
    expect(await left()).toHaveLength(6);
    await purgeProjectLogs(served.api.database, { days: 30 });
    expect(await left()).toHaveLength(3);
    await fill(20_000, '1 day');
    await purgeProjectLogs(served.api.database, { days: 30 });
    const kept = await left();
    expect([kept.length, kept.at(-1)]).toEqual([20_000, entry?.id]);
  });
});
