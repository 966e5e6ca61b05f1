import { beforeAll, describe, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { addComment } from '../../db/issues/comments.ts';
import { parseOrgLimits } from '../../domain/orgs.ts';
import { createAgent, registerUser, type TestUser } from '../../test/support/factories.ts';
import { registerColleague } from '../../test/support/people.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

interface Issue {
  readonly id: string;
  readonly number: number;
  readonly title: string;
  readonly status: string;
  readonly labels: readonly string[];
}

interface Comment {
  readonly id: string;
  readonly updated_at: string;
}

const served = serveTestApi();
let owner: TestUser;
let projectId: string;

beforeAll(async () => {
  owner = await registerUser(served.url, { full_name: 'Ada' });
  projectId = await createProject();
});

async function createProject({ client } = owner): Promise<string> {
  return (await client.post<{ id: string }>('/api/projects', { name: 'Website' })).json.id;
}

async function create(fields: Record<string, unknown> = {}): Promise<Issue> {
  const answer = await owner.client.post<Issue>('/api/issues', { project_id: projectId, title: 'To do', ...fields });
  expect(answer.status).toBe(201);
  return answer.json;
}

const list = async (query: string) => {
  const { status, json, headers } = await owner.client.get<Issue[]>(`/api/issues${query}`);
  expect(status).toBe(200);
  return { ids: json.map(({ id }) => id), total: headers.get('x-total-count') };
};

describe('a new issue', () => {
  test('begins in the backlog, with a number of its project', async () => {
    const other = await createProject();
    const [one, two, elsewhere] = [
      await create({ project_id: other }),
      await create({ project_id: other, labels: ['bug', ' bug ', 'ui'] }),
      await create(),
    ];
    expect(one).toMatchObject({ status: 'backlog', priority: 'medium', labels: [], number: 1, user_name: 'Ada' });
    expect(two).toMatchObject({ number: 2, labels: ['bug', 'ui'], agent_id: null });
    expect(elsewhere.number).toBe(1);
    await owner.client.delete(`/api/issues/${two.id}`);
    expect((await create({ project_id: other })).number).toBe(3);
  });

  test('has numbers of its own when many are added at once', async () => {
    const other = await createProject();
    const made = await Promise.all(Array.from({ length: 12 }, async () => create({ project_id: other })));
    expect(made.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 12 }, (_, n) => n + 1),
    );
  });

  test.each([
    [{ status: 'todo' }, 'status'],
    [{ status: 'backlog' }, 'status'],
    [{ priority: 'highest' }, 'priority'],
    [{ labels: Array.from({ length: 21 }, (_, n) => `label ${n}`) }, 'labels'],
    [{ labels: ['x'.repeat(51)] }, 'labels'],
    [{ labels: ['two\nlines'] }, 'labels'],
    [{ title: ' ' }, 'title'],
    [{ title: 'x'.repeat(301) }, 'title'],
    [{ description: 'x'.repeat(65_537) }, 'description'],
  ])('is refused with %j', async (fields, field) => {
    const answer = await owner.client.post('/api/issues', { project_id: projectId, title: 'x', ...fields });
    expect(answer.status).toBe(422);
    expect(answer.json).toMatchObject({ detail: [{ loc: expect.arrayContaining(['body', field]) }] });
  });

  test('is given to agents and members of the organization only', async () => {
    const agentId = await createAgent(owner.client, { name: 'Builder' });
    const colleague = await registerColleague(served.api, owner, 'member');
    const stranger = await registerUser(served.url);
    const issue = await create({ assigned_agent_id: agentId, assigned_user_id: colleague.id });
    expect(issue).toMatchObject({ assigned_agent_name: 'Builder', assigned_user_name: colleague.email });
    const refuse = async (fields: object) => {
      const answers = [
        await owner.client.post('/api/issues', { project_id: projectId, title: 'x', ...fields }),
        await owner.client.patch(`/api/issues/${issue.id}`, fields),
      ];
      return answers.map(({ status, json }) => [status, json]);
    };
    const unknownMember = [404, { detail: 'Member not found' }];
    expect(await refuse({ assigned_user_id: stranger.id })).toEqual([unknownMember, unknownMember]);
    const unknownAgent = [404, { detail: 'Agent not found' }];
    const foreign = await createAgent(stranger.client);
    expect(await refuse({ assigned_agent_id: foreign })).toEqual([unknownAgent, unknownAgent]);
    const gone = await createAgent(owner.client);
    await owner.client.delete(`/api/agents/${gone}`);
    expect(await refuse({ assigned_agent_id: gone })).toEqual([unknownAgent, unknownAgent]);
  });
});

describe('an issue', () => {
  test('takes each status by an update, and changes the given fields only', async () => {
    const { id } = await create({ description: 'as it is', labels: ['one'] });
    const change = async (body: object) => (await owner.client.patch<Issue>(`/api/issues/${id}`, body)).json;
    for (const status of ['todo', 'in_progress', 'in_review', 'done', 'cancelled', 'backlog'])
      expect(await change({ status })).toMatchObject({ status, description: 'as it is', labels: ['one'] });
    expect(await change({ labels: ['two', 'three'] })).toMatchObject({ labels: ['two', 'three'] });
    expect((await owner.client.patch(`/api/issues/${id}`, { status: 'open' })).status).toBe(422);
    expect((await owner.client.patch(`/api/issues/${id}`, { project_id: await createProject() })).status).toBe(422);
  });

  test('keeps text of every kind as it was written', async () => {
    const description =
      '# Überschrift 🦊\n\n<script>alert(1)</script> `code` \u202Ertl [x](javascript:alert(1)) e\u0301';
    expect(await create({ title: '修复 الشعار 🧭', description })).toMatchObject({
      title: '修复 الشعار 🧭',
      description,
    });
  });

  test('may be sent back as it was shown after its agent was deleted', async () => {
    const agentId = await createAgent(owner.client);
    const { id } = await create({ assigned_agent_id: agentId });
    await owner.client.delete(`/api/agents/${agentId}`);
    const { json: shown } = await owner.client.get<object>(`/api/issues/${id}`);
    const { status, json } = await owner.client.patch(`/api/issues/${id}`, { ...shown, title: 'Renamed' });
    expect([status, json]).toMatchObject([200, { title: 'Renamed', assigned_agent_id: agentId }]);
  });

  test('is changed by two at once with nothing lost', async () => {
    const { id } = await create();
    await Promise.all([
      owner.client.patch(`/api/issues/${id}`, { status: 'todo' }),
      owner.client.patch(`/api/issues/${id}`, { priority: 'urgent' }),
      owner.client.patch(`/api/issues/${id}`, { labels: ['x'] }),
    ]);
    expect((await owner.client.get(`/api/issues/${id}`)).json).toMatchObject({
      status: 'todo',
      priority: 'urgent',
      labels: ['x'],
    });
  });
});

describe('the list of issues', () => {
  test('is narrowed by project, status, label, assignee and words, all at once', async () => {
    const [project, other] = [await createProject(), await createProject()];
    const agentId = await createAgent(owner.client);
    const one = await create({ project_id: project, title: 'The menu overlaps the logo', labels: ['bug', 'ui'] });
    const two = await create({
      project_id: project,
      title: 'Menus',
      description: 'overlap',
      assigned_agent_id: agentId,
    });
    const three = await create({ project_id: other, title: 'The menu', labels: ['bug'], assigned_user_id: owner.id });
    await owner.client.patch(`/api/issues/${two.id}`, { status: 'in_progress', labels: ['ui'] });
    const inProject = `?project_id=${project}`;
    expect(await list(inProject)).toEqual({ ids: [two.id, one.id], total: '2' });
    expect(await list(`${inProject}&limit=1`)).toEqual({ ids: [two.id], total: '2' });
    expect((await list(`${inProject}&status=in_progress`)).ids).toEqual([two.id]);
    expect((await list(`${inProject}&label=ui`)).ids).toEqual([two.id, one.id]);
    expect((await list('?label=bug')).ids).toEqual(expect.arrayContaining([three.id, one.id]));
    expect((await list(`${inProject}&label=Bug`)).ids).toEqual([]);
    expect((await list(`?assigned_agent_id=${agentId}`)).ids).toEqual([two.id]);
    expect((await list(`?assigned_user_id=${owner.id}&project_id=${other}`)).ids).toEqual([three.id]);
    expect((await list(`${inProject}&q=menu`)).ids).toEqual([two.id, one.id]);
    expect((await list(`${inProject}&q=OVERLA`)).ids).toEqual([two.id, one.id]);
    expect((await list(`${inProject}&q=%22menu%20overlaps%22`)).ids).toEqual([one.id]);
    expect((await list(`${inProject}&q=menu&label=bug&status=backlog`)).ids).toEqual([one.id]);
    expect((await list(`${inProject}&q=!!`)).ids).toEqual([]);
    await owner.client.patch(`/api/issues/${one.id}`, { title: 'Something else', labels: [] });
    expect((await list(`${inProject}&q=overlaps`)).ids).toEqual([]);
    expect((await list(`${inProject}&q=something`)).ids).toEqual([one.id]);
    expect((await list('?label=bug')).ids).not.toContain(one.id);
  });

  test('has nothing of another organization', async () => {
    const stranger = await registerUser(served.url);
    const theirs = await createProject(stranger);
    await stranger.client.post('/api/issues', { project_id: theirs, title: 'zebra', labels: ['striped'] });
    for (const query of [`?project_id=${theirs}`, '?q=zebra', '?label=striped', `?assigned_user_id=${stranger.id}`])
      expect([query, await list(query)]).toEqual([query, { ids: [], total: '0' }]);
  });

  test('finds the one of 10,000 that is looked for by an index, and counts them all', async () => {
    const project = await createProject();
    const needle = await create({ project_id: project, title: 'The needle', labels: ['rare'] });
    const { system } = served.api.database;
    await system.query(
      `with made as (
        insert into issues (id, org_id, project_id, number, title, description, status, priority, labels, user_id)
        select gen_random_uuid(), $1, $2, n + 1, 'Hay ' || n, repeat('straw ', 50), 'todo', 'low', '["common"]', $3
        from generate_series(1, 10000) n returning id
      )
      insert into issue_labels (issue_id, label, org_id) select id, 'common', $1 from made`,
      [owner.orgId, project, owner.id],
    );
    expect(await list(`?project_id=${project}&limit=5`)).toMatchObject({ total: '10001' });
    expect(await list(`?project_id=${project}&q=needle`)).toEqual({ ids: [needle.id], total: '1' });
    expect(await list(`?project_id=${project}&label=rare`)).toEqual({ ids: [needle.id], total: '1' });
    expect(await list(`?project_id=${project}&status=backlog`)).toEqual({ ids: [needle.id], total: '1' });
  });
});

describe('comments on an issue', () => {
  test('are listed oldest first with their authors, and deleted by them and by administrators', async () => {
    const { id } = await create();
    const member = await registerColleague(served.api, owner, 'member');
    const other = await registerColleague(served.api, owner, 'member');
    const path = `/api/issues/${id}/comments`;
    const say = async ({ client }: TestUser, content: string) => (await client.post<Issue>(path, { content })).json.id;
    const [one, two] = [await say(owner, 'first'), await say(member, 'second')];
    expect((await owner.client.get(path)).json).toMatchObject([
      { id: one, content: 'first', user_id: owner.id, user_name: 'Ada', agent_id: null, issue_id: id },
      { id: two, content: 'second', user_id: member.id },
    ]);
    const remove = async ({ client }: TestUser, comment: string) => (await client.delete(`${path}/${comment}`)).status;
    expect([await remove(other, two), await remove(member, one), await remove(member, two)]).toEqual([403, 403, 204]);
    expect([await remove(owner, two), await remove(owner, one)]).toEqual([404, 204]);
    expect((await owner.client.post(path, { content: '  ' })).status).toBe(422);
  });

  test('are changed by their authors only', async () => {
    const { id: issueId } = await create();
    const path = `/api/issues/${issueId}/comments`;
    const { json: said } = await owner.client.post<Comment>(path, { content: 'At 400 pixels' });
    const member = await registerColleague(served.api, owner, 'admin');
    const agentId = await createAgent(owner.client);
    const byAgent = { orgId: owner.orgId, userId: owner.id, agentId };
    const limits = parseOrgLimits('');
    const { id: ofAgent } = await addComment(served.api.database, byAgent, { issueId, content: 'x' }, { limits });

    const changed = await owner.client.patch<Comment>(`${path}/${said.id}`, { content: 'At 420 pixels' });
    expect(changed).toMatchObject({
      status: 200,
      json: { ...said, content: 'At 420 pixels', updated_at: expect.any(String) },
    });
    expect(changed.json.updated_at > said.updated_at).toBe(true);
    const { json: log } = await owner.client.get(`/api/projects/${projectId}/logs?limit=1`);
    expect(log).toMatchObject([{ action: 'updated', record_type: 'comment' }]);

    const statusOf = async ({ client }: TestUser, id: string, body: object) =>
      (await client.patch(`${path}/${id}`, body)).status;
    expect(await statusOf(member, said.id, { content: 'y' })).toBe(403);
    expect(await statusOf(owner, ofAgent, { content: 'y' })).toBe(403);
    expect(await statusOf(owner, uuidv7(), { content: 'y' })).toBe(404);
    expect(await statusOf(owner, said.id, { content: ' ' })).toBe(422);
    expect((await owner.client.get(path)).json).toMatchObject([{ content: 'At 420 pixels' }, { content: 'x' }]);
  });

  test('are no error at a limit when they are stored', async () => {
    const { id: issueId } = await create();
    const actor = { orgId: owner.orgId, userId: owner.id };
    const comment = { issueId, content: 'Once' };
    const add = async (id: string, limits = '') =>
      addComment(served.api.database, actor, comment, { limits: parseOrgLimits(limits), id });
    const { id } = await add(uuidv7());
    expect(await add(id, 'work_bytes=1')).toMatchObject({ id });
    await expect(add(uuidv7(), 'work_bytes=1')).rejects.toMatchObject({ name: 'AppError' });
    expect((await owner.client.get(`/api/issues/${issueId}/comments`)).json).toHaveLength(1);
  });

  test('of a member are deleted by an administrator', async () => {
    const { id } = await create();
    const member = await registerColleague(served.api, owner, 'member');
    const path = `/api/issues/${id}/comments`;
    const { json } = await member.client.post<Issue>(path, { content: 'x' });
    expect((await owner.client.delete(`${path}/${json.id}`)).status).toBe(204);
  });
});

describe('an agent that permission groups hide', () => {
  test('is not named by issues, comments and the log, and stays assigned when the record is sent back', async () => {
    const [seen, hidden] = [await createAgent(owner.client), await createAgent(owner.client, { name: 'Secret' })];
    const id = (await create({ assigned_agent_id: hidden })).id;
    await owner.client.send('PUT', `/api/projects/${projectId}/agents`, { agent_ids: [seen, hidden] });
    await addComment(
      served.api.database,
      { orgId: owner.orgId, userId: owner.id, agentId: hidden },
      { issueId: id, content: 'Done.' },
      { limits: parseOrgLimits('') },
    );
    const member = await registerColleague(served.api, owner, 'member');
    const group = {
      name: 'Some agents',
      permissions: ['issues.manage', 'projects.view'],
      capabilities: { agent_ids: [seen] },
    };
    const { json } = await owner.client.post<{ id: string }>('/api/permissions/groups', group);
    await owner.client.send('PUT', `/api/permissions/groups/${json.id}/members`, { user_ids: [member.id] });
    const issue = await member.client.get<object>(`/api/issues/${id}`);
    expect(issue.json).toMatchObject({
      assigned_agent_id: null,
      assigned_agent_name: 'Hidden agent',
      user_name: 'Ada',
    });
    const comments = await member.client.get(`/api/issues/${id}/comments`);
    expect(comments.json).toMatchObject([{ agent_id: null, agent_name: 'Hidden agent', user_name: 'Ada' }]);
    expect((await member.client.get(`/api/issues?assigned_agent_id=${hidden}`)).json).toEqual([]);
    await member.client.patch(`/api/issues/${id}`, { status: 'todo', assigned_agent_id: null });
    await owner.client.patch(`/api/issues/${id}`, { assigned_agent_id: seen });
    await owner.client.patch(`/api/issues/${id}`, { assigned_agent_id: hidden });
    expect((await owner.client.get(`/api/issues/${id}`)).json).toMatchObject({
      status: 'todo',
      assigned_agent_id: hidden,
    });
    const log = await member.client.get<object[]>(`/api/projects/${projectId}/logs`);
    expect(log.json.slice(0, 5)).toMatchObject([
      { changes: { assigned_agent_id: { from: seen, to: 'Hidden agent' } } },
      { changes: { assigned_agent_id: { from: 'Hidden agent', to: seen } } },
      { changes: { status: { from: 'backlog', to: 'todo' } } },
      { record_type: 'comment', agent_id: null, agent_name: 'Hidden agent' },
      { changes: { agents: { from: [], to: [expect.stringMatching(/^(?!Hidden)/), 'Hidden agent'] } } },
    ]);
    expect(JSON.stringify([issue.json, comments.json, log.json])).not.toMatch(new RegExp(`Secret|${hidden}`));
    await member.client.patch(`/api/issues/${id}`, { assigned_agent_id: seen });
    expect((await owner.client.get(`/api/issues/${id}`)).json).toMatchObject({ assigned_agent_id: seen });
  });
});
