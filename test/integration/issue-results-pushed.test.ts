import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { WORKFLOWS_OF_WORK } from '../../workflows/due-work/contract.ts';
import { HostServer } from '../support/code-hosts/index.ts';
import { createAgent, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';

interface Issue {
  readonly id: string;
  readonly status: string;
}

let host: HostServer;
let instance: TestInstance;
let engine: Client;
let user: TestUser;
let projectId: string;

beforeAll(async () => {
  host = await HostServer.start('github');
  instance = await startTestInstance();
  engine = new Client({ connection: await Connection.connect({ address: instance.temporalAddress }) });
  user = await registerUser(instance.api.url);
  await createProvider(user.client, instance.model.url);
  const project = { name: 'Website', repo_url: host.repoUrl, repo_type: 'github', sync_direction: 'both' };
  projectId = (await user.client.post<Issue>('/api/projects', project)).json.id;
});
afterAll(async () => {
  await engine.connection.close();
  await instance.close();
  host.close();
});

async function synced(): Promise<Issue> {
  await user.client.post(`/api/projects/${projectId}/sync-issues`);
  return waitUntil('the issue', async () => {
    const { json } = await user.client.get<Issue[]>(`/api/issues?project_id=${projectId}`);
    return json.length === host.world.issues.length ? json[0] : undefined;
  });
}

async function start(title: string): Promise<string> {
  host.world.addIssue({ title });
  const { id } = await synced();
  const agent = await createAgent(user.client, { name: 'Worker' });
  await user.client.patch(`/api/issues/${id}`, { assigned_agent_id: agent });
  expect((await user.client.post(`/api/issues/${id}/start`)).status).toBe(201);
  return id;
}

const issue = async (id: string) => (await user.client.get<Issue>(`/api/issues/${id}`)).json;
const reviewed = async (id: string) =>
  waitUntil('the review', async () => (await issue(id)).status === 'in_review' || undefined);
const pushes = async () =>
  (await instance.api.database.system.query('select error from issue_pushes where project_id = $1', [projectId])).rows;
/** Waits for the end of the workflow too: what is queued while it ends is told two minutes later. */
async function untilAllSent(): Promise<void> {
  await waitUntil('the host to be told', async () => ((await pushes()).length === 0 ? true : undefined));
  await engine.workflow.getHandle(WORKFLOWS_OF_WORK['issue-push'].idOf({ orgId: user.orgId, projectId })).result();
}

test('what an agent answers on an issue is a comment at its host, once, also when the worker dies while it tells', async () => {
  let send: () => void = () => undefined;
  const isSent = new Promise<void>((resolve) => (send = resolve));
  host.decide = async ({ method, path }) => {
    if (method !== 'POST' || !path.endsWith('/comments')) return 'answered';
    host.decide = undefined;
    // The host writes it, and whoever told it dies before the answer.
    send();
    return 'lost';
  };
  const id = await start('[[say the menu is fixed]]');
  await isSent;
  await instance.killWorkers();
  await instance.addWorker();
  await untilAllSent();
  expect(await issue(id)).toMatchObject({ status: 'in_review', remote: { push_error: null } });
  expect(host.world.comments.map(({ body }) => body)).toEqual([expect.stringMatching(/^the menu is fixed\n\n<!-- /)]);
  const { json } = await user.client.get<object[]>(`/api/issues/${id}/comments`);
  expect(json).toMatchObject([{ content: 'the menu is fixed', remote: { author: 'everturn-bot' } }]);
  expect(host.world.issues[0]).toMatchObject({ isOpen: true });
});

test('an issue that is closed at its host is opened there when an agent begins with it again', async () => {
  const id = await start('[[say looked at it]]');
  await reviewed(id);
  await untilAllSent();
  await user.client.patch(`/api/issues/${id}`, { status: 'done' });
  await untilAllSent();
  expect(host.world.issues[1]).toMatchObject({ isOpen: false });
  await user.client.post(`/api/issues/${id}/start`);
  await untilAllSent();
  expect(host.world.issues[1]).toMatchObject({ isOpen: true });
  expect(host.world.comments.filter(({ body }) => body.startsWith('looked at it'))).not.toHaveLength(0);
  // What this agent has told later would count with the next test.
  await reviewed(id);
  await untilAllSent();
});

test('a result takes up again what the host had refused of the issue', async () => {
  host.world.addIssue({ title: '[[say at last]]' });
  const { id } = await synced();
  host.decide = async ({ method, response }) => {
    if (method !== 'GET') response.writeHead(403).end('{}');
    return 'answered';
  };
  await user.client.post(`/api/issues/${id}/comments`, { content: 'Refused first.' });
  await waitUntil('the refusal', async () => ((await pushes())[0]?.error ?? undefined) as string | undefined);
  host.decide = undefined;
  await user.client.patch(`/api/issues/${id}`, { assigned_agent_id: await createAgent(user.client) });
  const before = host.world.comments.length;
  await user.client.post(`/api/issues/${id}/start`);
  await reviewed(id);
  await untilAllSent();
  expect(host.world.comments.slice(before).map(({ body }) => body.split('\n')[0])).toEqual(
    expect.arrayContaining(['Refused first.', 'at last']),
  );
  expect(host.world.comments).toHaveLength(before + 2);
});
