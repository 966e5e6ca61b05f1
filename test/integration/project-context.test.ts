import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { createAgent, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { casesOf } from '../support/in-length.ts';
import type { Reply } from '../support/outside-server.ts';
import { RepoServer, type ServedRepo } from '../support/repo-server.ts';
import { SseClient } from '../support/sse-client.ts';
import { recoverDueWork } from '../support/recover-due-work.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';

interface Project {
  readonly id: string;
  readonly repo_status: string;
  readonly repo_error: string | null;
  readonly repo_fetched_at: string | null;
  readonly repo_branch: string | null;
  readonly repo_commit: string | null;
  readonly integration_error: string | null;
}

interface ShownPrompt {
  readonly characters: number;
  readonly parts: readonly { readonly name: string; readonly text: string | null }[];
}

const COMMIT = 'a'.repeat(40);
const TOKEN = 'a-token-of-the-tests';
const KINDS = casesOf(['github', 'gitlab', 'gitea'] as const);
const HTML: Reply = (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in</p>');
const AWAY: Reply = (response) => void response.writeHead(503).end('a secret word of the host');

let host: RepoServer;
let instance: TestInstance;
let user: TestUser;
beforeAll(async () => {
  host = await RepoServer.start();
  instance = await startTestInstance();
  user = await registerUser(instance.api.url);
  await createProvider(user.client, instance.model.url);
});
afterAll(async () => {
  await instance.close();
  host.close();
});
beforeEach(() => {
  host.faults.clear();
  host.repos.clear();
  host.maxTree = 100_000;
  host.seen();
  serve();
});

/** Has the host offer a repository at `/group/app`. */
function serve(fields: Partial<ServedRepo> = {}): void {
  const files = ['README.md', 'src/index.ts', 'src/api/routes.ts', 'node_modules/x/index.js'];
  host.repos.set('group/app', { defaultBranch: 'main', branches: { main: COMMIT, dev: COMMIT }, files, ...fields });
}

async function addProject(fields: Record<string, unknown> = {}): Promise<Project> {
  const project = { name: 'App', repo_url: `${host.url}/group/app`, repo_type: 'github', ...fields };
  const { status, json } = await user.client.post<Project>('/api/projects', project);
  // Its tree may have been read before the answer is written.
  expect([status, json.repo_status === 'none']).toEqual([201, project.repo_url === '']);
  return json;
}

const readProject = async (id: string) => (await user.client.get<Project>(`/api/projects/${id}`)).json;

/** Waits until the repository of a project was looked at anew. */
async function read(id: string, isDone = ({ repo_status: status }: Project) => status !== 'pending'): Promise<Project> {
  return waitUntil('the repository to be read', async () => {
    const project = await readProject(id);
    return isDone(project) ? project : undefined;
  });
}

/** Has the repository of a project read again now, as it is after hours. */
async function readAgain(id: string, isDone: (project: Project) => boolean): Promise<Project> {
  const { database } = instance.api;
  await database.system.query('update repo_trees set due_at = now() where project_id = $1', [id]);
  await database.follow([{ dueWork: [{ kind: 'repo-tree', orgId: user.orgId, projectId: id }] }]);
  return read(id, isDone);
}

async function prompt(agentId: string, query = ''): Promise<ShownPrompt> {
  return (await user.client.get<ShownPrompt>(`/api/agents/${agentId}/prompt${query}`)).json;
}

const partOf = ({ parts }: ShownPrompt, wanted: string) => parts.find(({ name }) => name === wanted)?.text ?? '';

describe('the repository of a project', () => {
  test.each(KINDS)('is read at %s without credentials, and its outline told to agents', async (kind) => {
    const { id } = await addProject({ repo_type: kind });
    expect(await read(id)).toMatchObject({
      repo_status: 'ready',
      repo_error: null,
      repo_fetched_at: expect.any(String),
      repo_branch: 'main',
      repo_commit: COMMIT,
    });
    const text = partOf(await prompt(await createAgent(user.client), `?project_id=${id}`), 'project');
    expect(text).toContain(`Repository: ${host.url}/group/app (${kind})`);
    expect(text).toContain('Default branch: main\nOther branches: dev\n');
    expect(text).toContain(
      '/: src/ (2), node_modules/ (1), README.md\n/src/: api/ (1), index.ts\n/src/api/: routes.ts\n',
    );
  });

  test.each(KINDS)('is read by its commit at %s: files are not asked for again before it has changed', async (kind) => {
    const { id } = await addProject({ repo_type: kind });
    const { repo_fetched_at: first } = await read(id);
    host.seen();
    const again = await readAgain(id, ({ repo_fetched_at: at }) => at !== first);
    expect([again.repo_status, host.seen().filter((path) => path.includes('tree'))]).toEqual(['ready', []]);
    serve({ branches: { main: 'b'.repeat(40), old: COMMIT }, files: ['only.md'] });
    await readAgain(id, ({ repo_commit: commit }) => commit === 'b'.repeat(40));
    const text = partOf(await prompt(await createAgent(user.client), `?project_id=${id}`), 'project');
    expect(text).toContain('Other branches: old\n');
    expect(text).toContain('/: only.md\n');
  });

  test.each(KINDS)('without commits is empty at %s', async (kind) => {
    serve({ branches: {}, files: [] });
    const { id } = await addProject({ repo_type: kind });
    expect(await read(id)).toMatchObject({ repo_status: 'empty', repo_error: null, repo_commit: null });
  });

  test('without a default branch says so', async () => {
    serve({ defaultBranch: null });
    expect(await read((await addProject()).id)).toMatchObject({
      repo_status: 'failed',
      repo_error: 'The repository has no default branch',
    });
    serve({ defaultBranch: 'gone' });
    expect((await read((await addProject()).id)).repo_error).toContain('does not have the branch');
  });

  test('may have its default branch far behind in the list of branches', async () => {
    const names = Array.from({ length: 150 }, (_, at) => [`branch/${at}`, COMMIT]);
    serve({ defaultBranch: 'z/main', branches: { ...Object.fromEntries(names), 'z/main': COMMIT } });
    const { id, repo_branch: branch } = await read((await addProject()).id);
    expect(branch).toBe('z/main');
    const text = partOf(await prompt(await createAgent(user.client), `?project_id=${id}`), 'project');
    expect(text).toMatch(/\nOther branches: branch\/0, .*, and more\n/);
  });

  test.each(KINDS)('that is too large for one answer of %s is read folder by folder, the work first', async (kind) => {
    host.maxTree = 3_000;
    const many = Array.from({ length: 6_000 }, (_, at) => `docs/${at % 7}/${at}.md`);
    serve({ files: ['README.md', 'src/index.ts', 'src/api/routes.ts', 'vendor/x.js', ...many] });
    const { id, repo_status: status } = await read((await addProject({ repo_type: kind })).id);
    expect(status).toBe('ready');
    const text = partOf(await prompt(await createAgent(user.client), `?project_id=${id}`), 'project');
    expect(text).toContain('Files of the default branch, some of them');
    expect(text).toContain('/: src/, docs/, vendor/, README.md\n/src/: api/, index.ts\n/docs/: 0/, 1/,');
    expect(host.seen().length).toBeLessThan(40);
  });

  test('is found under its new name when the host leads there', async () => {
    host.repos.set('group/renamed', { defaultBranch: 'main', branches: { main: COMMIT }, files: ['moved.md'] });
    host.faults.set('/repos/group/app', (response, { url }) =>
      response.writeHead(301, { location: url.replace('group/app', 'group/renamed') }).end(),
    );
    expect(await read((await addProject()).id)).toMatchObject({ repo_status: 'ready' });
  });

  test.each<[string, Reply, string]>([
    ['answers HTML', HTML, "not GitHub's"],
    ['is away', AWAY, 'had an internal error (status 503)'],
    ['breaks off', (response) => void response.destroy(), 'request to the server failed'],
    ['answers with other JSON', (response) => void response.end('{"default_branch":7}'), 'documentation'],
  ])('keeps what was read before when the host %s, and says why', async (_what, reply, words) => {
    const { id } = await addProject();
    await read(id);
    host.faults.set('/repos/', reply);
    const failed = await readAgain(id, ({ repo_status: status }) => status === 'failed');
    expect(failed).toMatchObject({ repo_error: expect.stringContaining(words), repo_commit: COMMIT });
    expect(JSON.stringify(failed)).not.toContain('secret word');
    const text = partOf(await prompt(await createAgent(user.client), `?project_id=${id}`), 'project');
    expect(text).toContain('/src/: api/');
    expect(text).not.toContain(words);
  });

  test('is read again although nobody has woken its workflow', async () => {
    const { id } = await addProject();
    const { repo_fetched_at: first } = await read(id);
    await instance.api.database.system.query(
      "update repo_trees set due_at = now() - interval '1 minute' where project_id = $1",
      [id],
    );
    await recoverDueWork(instance);
    await read(id, ({ repo_fetched_at: at }) => at !== first);
  });

  test('is left alone for as long as the host asks for', async () => {
    const { id } = await addProject();
    await read(id);
    host.faults.set('/repos/', (response) => response.writeHead(429, { 'retry-after': '7200' }).end());
    await readAgain(id, ({ repo_status: status }) => status === 'failed');
    const { rows } = await instance.api.database.system.query(
      "select due_at > now() + interval '119 minutes' as later from repo_trees where project_id = $1",
      [id],
    );
    expect(rows).toEqual([{ later: true }]);
  });

  test('is not told of any more once the host withdraws it, and again when it is back', async () => {
    const { id } = await addProject();
    await read(id);
    host.repos.clear();
    const gone = await readAgain(id, ({ repo_status: status }) => status === 'failed');
    expect(gone).toMatchObject({ repo_commit: null, repo_error: expect.stringContaining('no such repository') });
    const agentId = await createAgent(user.client);
    expect(partOf(await prompt(agentId, `?project_id=${id}`), 'project')).not.toContain('/src');
    serve();
    await readAgain(id, ({ repo_status: status }) => status === 'ready');
    expect(partOf(await prompt(agentId, `?project_id=${id}`), 'project')).toContain('/src');
  });

  test('is another one when the address changes, and none without an address', async () => {
    host.repos.set('group/other', { defaultBranch: 'trunk', branches: { trunk: COMMIT }, files: ['x.md'] });
    const { id } = await addProject();
    await read(id);
    const changed = await user.client.patch<Project>(`/api/projects/${id}`, { repo_url: `${host.url}/group/other` });
    expect(changed.status).toBe(200);
    expect(await read(id)).toMatchObject({ repo_status: 'ready', repo_branch: 'trunk' });
    const none = await user.client.patch<Project>(`/api/projects/${id}`, { repo_url: '' });
    expect(none.json).toMatchObject({ repo_status: 'none', repo_branch: null, repo_fetched_at: null });
  });

  test('leaves nothing of the host in the engine', async () => {
    const { id } = await addProject();
    await read(id);
    const connection = await Connection.connect({ address: instance.temporalAddress });
    const handle = new Client({ connection }).workflow.getHandle(`repo-tree/${user.orgId}/${id}`);
    const history = historyToJSON(await handle.fetchHistory());
    await connection.close();
    expect(history).not.toContain('README');
    expect(history).not.toContain(Buffer.from('README').toString('base64').slice(0, 6));
  });
});

describe('a private repository', () => {
  const integrate = async (token: string) => {
    const fields = { kind: 'gitea', name: `Host ${Math.random()}`, base_url: host.url, credentials: { token } };
    return (await user.client.post<{ id: string }>('/api/integrations', fields)).json.id;
  };

  test('is not there for those without credentials, and is read with them', async () => {
    serve({ token: TOKEN });
    const { id } = await addProject({ repo_type: 'gitea' });
    expect(await read(id)).toMatchObject({ repo_status: 'failed', integration_error: null });
    await user.client.patch(`/api/projects/${id}`, { integration_id: await integrate(TOKEN) });
    expect(await read(id, ({ repo_status: status }) => status === 'ready')).toMatchObject({ repo_error: null });
  });

  test('shows an error of its credentials at the project and the integration, and not in a prompt', async () => {
    serve({ token: TOKEN });
    const integrationId = await integrate('a-wrong-token');
    const { id } = await addProject({ repo_type: 'gitea', integration_id: integrationId });
    const words = 'Gitea has rejected the credentials (status 401)';
    expect(await read(id)).toMatchObject({ repo_status: 'failed', repo_error: words, integration_error: words });
    const integration = await user.client.get(`/api/integrations/${integrationId}`);
    expect(integration.json).toMatchObject({ status: 'failing', error: words });
    const text = JSON.stringify(await prompt(await createAgent(user.client), `?project_id=${id}`));
    expect(text).not.toMatch(/rejected|credentials|wrong-token/);
    // New credentials have it read at once.
    await user.client.patch(`/api/integrations/${integrationId}`, { credentials: { token: TOKEN } });
    expect(await read(id, ({ repo_status: status }) => status === 'ready')).toMatchObject({ integration_error: null });
  });
});

describe('a turn', () => {
  /** Plays a turn and returns the messages that the model was sent last. */
  async function play(chatId: string, content: string): Promise<{ system: string; question: string }> {
    const url = `${instance.api.url}/api/chats/${chatId}/stream`;
    await (await SseClient.open({ url, token: user.accessToken, body: { content } })).waitForEnd();
    const request = instance.model.requests.findLast(({ messages }) => JSON.stringify(messages).includes(content));
    const textOf = (message: { readonly content?: unknown } | undefined) =>
      typeof message?.content === 'string' ? message.content : '';
    return { system: textOf(request?.messages[0]), question: textOf(request?.messages.at(-1)) };
  }

  const post = async (path: string, body: object) => {
    const { status, json } = await user.client.post<{ id: string }>(path, body);
    expect([status, json]).toMatchObject([201, { id: expect.any(String) }]);
    return json.id;
  };

  test('in a chat of a project is told of it, of its repository, and of the work, as the api shows it', async () => {
    const { id } = await addProject({ description: 'The shop.' });
    await read(id);
    const agentId = await createAgent(user.client, { system_prompt: 'You code.' });
    const chatId = await post('/api/chats', { agent_id: agentId, project_id: id });
    await post('/api/issues', { project_id: id, title: 'Cart is empty', assigned_agent_id: agentId });
    const done = await post('/api/issues', { project_id: id, title: 'Already done' });
    await user.client.patch(`/api/issues/${done}`, { status: 'done' });
    await post('/api/tasks', { chat_id: chatId, title: 'Count the carts' });
    const { system, question } = await play(chatId, 'What is to be done here?');
    const shown = await prompt(agentId, `?project_id=${id}`);
    expect(system.startsWith('You code.\n\n# Project\n')).toBe(true);
    expect(system).toContain(partOf(shown, 'project'));
    expect(partOf(shown, 'project')).toMatch(/Description:\n {2}The shop\.\n(?:.*\n)+\/src\/: api\//);
    expect(question).toBe(`${partOf(shown, 'project_state')}\n\nWhat is to be done here?`);
    expect(question).toContain('- #1, backlog, medium, assigned to you: Cart is empty\n');
    expect(question).toContain('- pending: Count the carts\n');
    expect(question).not.toContain('Already done');
    expect(shown.characters).toBe(system.length + partOf(shown, 'project_state').length);
    // What was told before is not repeated with later messages, and the parts before stay as they were.
    await post('/api/issues', { project_id: id, title: 'One more' });
    const next = await play(chatId, 'And now?');
    expect(next.system).toBe(system);
    expect(next.question).toContain('One more');
  });

  test('of an agent that is assigned to a project is told of it in other chats', async () => {
    const agentId = await createAgent(user.client);
    await addProject({ name: 'First', agent_ids: [agentId], repo_url: '', repo_type: '' });
    const { id } = await addProject({ name: 'Second', agent_ids: [agentId], repo_url: '', repo_type: '' });
    const chatId = await post('/api/chats', { agent_id: agentId });
    const { system } = await play(chatId, 'Where do you work?');
    expect(system).toMatch(/^# Projects\n[^]*Name: First\n\nName: Second\n/);
    await user.client.delete(`/api/projects/${id}`);
    expect((await play(chatId, 'And where now?')).system).not.toContain('Second');
    const other = await createAgent(user.client);
    expect((await play(await post('/api/chats', { agent_id: other }), 'And you?')).system).not.toContain('# Project');
  });

  test('that is told text from outside marks what it stores from then on', async () => {
    const agentId = await createAgent(user.client, { tools: ['memory_manage'] });
    const { id } = await addProject({ repo_url: '', repo_type: '' });
    const chatId = await post('/api/chats', { agent_id: agentId, project_id: id });
    const issueId = await post('/api/issues', { project_id: id, title: 'From a stranger' });
    const { system: database } = instance.api.database;
    await database.query('update issues set is_foreign = true where id = $1', [issueId]);
    await play(chatId, '[[tool memory_manage {"action":"add","content":"tea"}]] [[then]] [[say kept]]');
    const memories = await database.query('select is_foreign from agent_memories where agent_id = $1', [agentId]);
    expect(memories.rows).toEqual([{ is_foreign: true }]);
  });

  test('goes on without a tree when the repository cannot be read', async () => {
    host.faults.set('/repos/', AWAY);
    const { id } = await addProject();
    await read(id);
    const chatId = await post('/api/chats', { agent_id: await createAgent(user.client), project_id: id });
    const { system } = await play(chatId, 'Are you there?');
    expect(system).toContain('Name: App');
    expect(system).not.toMatch(/503|failed/);
  });
});

describe('what an agent is told', () => {
  test('is of the organization of the caller only', async () => {
    const stranger = await registerUser(instance.api.url);
    const agentId = await createAgent(stranger.client);
    const { id } = await addProject();
    const answer = await stranger.client.get(`/api/agents/${agentId}/prompt?project_id=${id}`);
    expect([answer.status, answer.json]).toEqual([404, { detail: 'Project not found' }]);
  });
});
