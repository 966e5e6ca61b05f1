import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { SecretBox } from '../../db/core/index.ts';
import { sealGrant } from '../../db/integrations/index.ts';
import { addIndexes } from '../../db/marketplace/index.ts';
import { refreshMarketplaceIndexId } from '../../workflows/marketplace/contract.ts';
import { extractTextId } from '../../workflows/files/contract.ts';
import { embedKnowledgeBaseId, readDocumentId } from '../../workflows/knowledge-bases/contract.ts';
import { pushIssuesId } from '../../workflows/issue-pushes/contract.ts';
import { syncIssuesId } from '../../workflows/issue-sync/contract.ts';
import { housekeepingId } from '../../workflows/housekeeping/contract.ts';
import { startOrgPurge } from '../../workflows/orgs/client.ts';
import { purgeOrgId } from '../../workflows/orgs/contract.ts';
import { startProviderSignIn } from '../../workflows/providers/client.ts';
import { providerSignInId } from '../../workflows/providers/contract.ts';
import { refreshRepoTreeId } from '../../workflows/repo-trees/contract.ts';
import { scheduleSlotId } from '../../workflows/schedules/contract.ts';
import { agentWorkflowRunId } from '../../workflows/agent-workflows/contract.ts';
import { taskWorkflowId } from '../../workflows/tasks/contract.ts';
import { conversationId, subAgentId } from '../../workflows/turns/contract.ts';
import { ENTER_MESSAGES_ID } from '../../workflows/search/contract.ts';
import { deliverWebhooksId } from '../../workflows/webhooks/contract.ts';
import { consentForm } from '../support/consent-form.ts';
import { HostServer } from '../support/code-hosts/index.ts';
import {
  createAgent,
  createChat,
  createProvider,
  createTool,
  registerUser,
  type TestUser,
  uploadFile,
} from '../support/factories.ts';
import setUp from '../support/global-setup.ts';
import tearDown from '../support/global-teardown.ts';
import { fillRoom } from '../support/full-room.ts';
import { EmbeddingServer } from '../support/embedding-server.ts';
import { json as jsonReply, OutsideServer } from '../support/outside-server.ts';
import { SocketClient } from '../support/socket-client.ts';
import { TEST_SECRET_KEY } from '../support/test-api.ts';
import { startOwnInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';

// Records the histories that the tests replay, from real runs: node scripts/run.mjs test/replay/record-histories.ts 0.2
// Run it after a change that adds a way for a workflow to go. The version goes before the names of the new recordings,
// so that those of before stay: conversations that were begun by older code go on with the newest.

const FOLDER = new URL('./histories/', import.meta.url);
/** Goes before the names, so that the recordings of older code stay: they must replay too. */
const VERSION = process.argv[2] === undefined ? '' : `${process.argv[2]}-`;
// The lingering of a conversation, and some time more.
const CLOSE_LIMIT_MS = 90_000;
/** Events after which the server suggests to continue as new, for the one recording that shows it. */
const FEW_EVENTS = '12';

interface Recording {
  readonly name: string;
  readonly workflowId: string;
  readonly runId?: string | undefined;
}

interface Talk {
  readonly instance: TestInstance;
  readonly socket: SocketClient;
  readonly workflowId: string;
}

async function startTalk(
  instance: TestInstance,
): Promise<Talk & { readonly user: TestUser; interrupt(): Promise<void> }> {
  const user = await registerUser(instance.api.url);
  await createProvider(user.client, instance.model.url, { cooldown_seconds: 1 });
  const agent = { tools: ['http_request', 'math_evaluate', 'agent_spawn'], max_concurrency: 2 };
  for (const name of ['Scout', 'Guide']) await createAgent(user.client, { ...agent, name });
  const chatId = await createChat(user.client, await createAgent(user.client, agent));
  const socket = await SocketClient.connect(instance.api.url, chatId, user.accessToken);
  const interrupt = async () => void (await user.client.post(`/api/chats/${chatId}/interrupt`));
  return { instance, socket, user, interrupt, workflowId: conversationId({ orgId: user.orgId, chatId }) };
}

function say({ socket }: Talk, content: string): void {
  socket.send({ type: 'message', content, client_message_id: randomUUID() });
}

async function talk(instance: TestInstance, turns: number): Promise<string> {
  const talk = await startTalk(instance);
  for (let turn = 1; turn <= turns; turn += 1) {
    say(talk, `message ${turn}`);
    await talk.socket.waitForEnd(turn);
  }
  return talk.workflowId;
}

async function holdFirstTurn(instance: TestInstance, gate: string): Promise<Talk> {
  const talk = await startTalk(instance);
  say(talk, `[[hold ${gate} after 3 chunks]] hello`);
  await talk.socket.waitFor('the first words', ({ type }) => type === 'chunk');
  return talk;
}

async function wakeDuringTurn(instance: TestInstance): Promise<string> {
  const talk = await holdFirstTurn(instance, 'woken');
  say(talk, 'and one more thing');
  await waitUntil('the second message to be stored', async () => {
    const { rowCount } = await instance.api.database.system.query("select from messages where content like 'and one%'");
    return rowCount === 1 ? true : undefined;
  });
  instance.model.release('woken');
  await talk.socket.waitForEnd(2);
  return talk.workflowId;
}

/** A turn that outlasts the local activity. */
async function takeLong(instance: TestInstance): Promise<string> {
  const talk = await holdFirstTurn(instance, 'long');
  const connection = await Connection.connect({ address: instance.temporalAddress });
  const handle = new Client({ connection }).workflow.getHandle(talk.workflowId);
  await waitUntil('an activity to wait for the turn', async () => {
    // The turn begins before its workflow does.
    const description = await handle.describe().catch(() => undefined);
    return description?.raw.pendingActivities?.length === 1 ? true : undefined;
  });
  await connection.close();
  instance.model.release('long');
  await talk.socket.waitForEnd();
  return talk.workflowId;
}

async function crashDuringTurn(instance: TestInstance): Promise<string> {
  const talk = await holdFirstTurn(instance, 'crash');
  await instance.workers[0]?.kill();
  instance.model.release('crash');
  await instance.addWorker();
  await talk.socket.waitForEnd(1, 60_000);
  return talk.workflowId;
}

// Not a quick one: those leave no trace in a history.
const tool = ({ model }: TestInstance) => `[[tool http_request ${JSON.stringify({ url: `${model.url}/models` })}]]`;
const spawn = (agent: string, task: string) => `[[tool agent_spawn ${JSON.stringify({ agent, task })}]]`;

async function callTools(instance: TestInstance): Promise<string> {
  const talk = await startTalk(instance);
  say(
    talk,
    `${tool(instance)} [[tool math_evaluate {"expression": "1+1"}]] [[then]] ${tool(instance)} [[then]] [[say done]]`,
  );
  await talk.socket.waitForEnd();
  return talk.workflowId;
}

async function crashBetweenSteps(instance: TestInstance): Promise<string> {
  const talk = await startTalk(instance);
  say(talk, `${tool(instance)} [[then]] [[hold between after 3 chunks]] after the tool`);
  await talk.socket.waitFor('the words after the tool', ({ type }) => type === 'chunk');
  await instance.workers.at(-1)?.kill();
  instance.model.release('between');
  await instance.addWorker();
  await talk.socket.waitForEnd(1, 60_000);
  return talk.workflowId;
}

interface Delegated {
  readonly workflowId: string;
  readonly subAgents: readonly string[];
}

/** Three sub-agents, two at a time; one of them has one of its own. */
async function delegate(instance: TestInstance): Promise<Delegated> {
  const talk = await startTalk(instance);
  const nested = `${spawn('Guide', `${tool(instance)} [[then]] [[say guided]]`)} [[then]] [[say scouted]]`;
  const three = [nested, '[[say two]]', '[[say three]]'].map((task) => spawn('Scout', task));
  say(talk, `${three.join(' ')} [[then]] [[say done]]`);
  await talk.socket.waitForEnd();
  return { workflowId: talk.workflowId, subAgents: subAgentsOf(talk) };
}

async function interruptSubAgents(instance: TestInstance, client: Client): Promise<Delegated> {
  const talk = await startTalk(instance);
  const nested = `${spawn('Guide', '[[hold never after 2 chunks]] deep down')} [[then]] [[say scouted]]`;
  say(talk, `${spawn('Scout', nested)} ${spawn('Scout', '[[hold never after 2 chunks]] here')} [[then]] [[say done]]`);
  await instance.model.waitForRequest(({ messages }) => JSON.stringify(messages.at(-1)).includes('deep down'));
  await talk.interrupt();
  await talk.socket.waitForEnd();
  // They begin before their workflows do, so some are stopped without one.
  const begun = await Promise.all(subAgentsOf(talk).map(async (id) => ((await isKnown(client, id)) ? [id] : [])));
  return { workflowId: talk.workflowId, subAgents: begun.flat() };
}

async function isKnown(client: Client, workflowId: string): Promise<boolean> {
  const description = await client.workflow
    .getHandle(workflowId)
    .describe()
    .catch(() => undefined);
  return description !== undefined;
}

function subAgentsOf({ socket, workflowId }: Talk): string[] {
  const [, orgId = ''] = workflowId.split('/');
  return socket.frames
    .filter(({ type }) => type === 'sub_agent_start')
    .map((frame) => subAgentId({ orgId, chatId: String(frame['sub_chat_id']) }));
}

async function waitForProvider(instance: TestInstance): Promise<string> {
  const talk = await startTalk(instance);
  say(talk, '[[status 429 retry-after 1]] [[times 1]] patience');
  await talk.socket.waitForEnd();
  return talk.workflowId;
}

async function interruptWait(instance: TestInstance): Promise<string> {
  const talk = await startTalk(instance);
  say(talk, '[[status 429 retry-after 600]] in vain');
  await waitUntil('the turn to wait', async () => {
    const { rowCount } = await instance.api.database.system.query(
      "select from turns where waiting_until > now() + interval '1 minute'",
    );
    return rowCount === 1 ? true : undefined;
  });
  await talk.interrupt();
  await talk.socket.waitForEnd();
  return talk.workflowId;
}

/** A call of a sub-agent that waits for a decision, and then for another one. */
async function waitForDecisions(instance: TestInstance): Promise<Delegated> {
  const talk = await startTalk(instance);
  const modes = { '*': 'always', agent_spawn: 'never' };
  await createAgent(talk.user.client, { name: 'Careful', tools: ['math_evaluate'], requires_approval: modes });
  const calculate = '[[tool math_evaluate {"expression": "1+1"}]]';
  say(talk, `${spawn('Careful', `${calculate} [[then]] ${calculate} [[then]] [[say two]]`)} [[then]] [[say done]]`);
  for (const approve of [true, false]) await decideNext(talk.user, approve);
  await talk.socket.waitForEnd();
  return { workflowId: talk.workflowId, subAgents: subAgentsOf(talk) };
}

interface RecordedRun {
  /** The workflow of its conversation. */
  readonly conversation: string;
  /** Its own. */
  readonly run: string;
}

/** A run whose second step waits for a decision. */
async function waitBeforeStep(instance: TestInstance): Promise<RecordedRun> {
  const { user } = await startTalk(instance);
  const steps = [
    { name: 'find', prompt_template: '[[say found]]' },
    { name: 'send', prompt_template: '[[say sent]]', approval: true },
  ];
  const { reach, run } = await triggerRun(user, { steps });
  await decideNext(user, true);
  return { conversation: conversationId({ orgId: user.orgId, chatId: await reach('completed') }), run };
}

/** A run with a time limit whose only step fails, and fails again after a pause. */
async function retryStep(instance: TestInstance): Promise<string> {
  const { user } = await startTalk(instance);
  const steps = [{ name: 'only', prompt_template: '[[status 400]]', retries: 1 }];
  const { reach, run } = await triggerRun(user, { steps, time_limit_minutes: 5 });
  await reach('failed');
  return run;
}

/** A run whose workflow is cancelled while a step waits for a decision. */
async function cancelRun(instance: TestInstance, client: Client): Promise<string> {
  const { user } = await startTalk(instance);
  const steps = [{ name: 'send', prompt_template: '[[say sent]]', approval: true }];
  const { reach, run } = await triggerRun(user, { steps });
  await reach('waiting');
  const handle = client.workflow.getHandle(run);
  await untilAsked(handle);
  await handle.cancel();
  await reach('interrupted');
  return run;
}

/** Waits until a workflow has asked its row once. */
async function untilAsked(handle: WorkflowHandle): Promise<void> {
  await waitUntil('the workflow to ask its row', async () => {
    const { events } = await handle.fetchHistory().catch(() => ({ events: [] }));
    return events?.some(({ markerRecordedEventAttributes: asked }) => asked != null) || undefined;
  });
}

/** A run of enough steps for its workflow to begin anew. */
async function takeSteps(instance: TestInstance): Promise<string> {
  const { user } = await startTalk(instance);
  const steps = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, prompt_template: `[[say ${name}]]` }));
  const { reach, run } = await triggerRun(user, { steps });
  await reach('completed');
  return run;
}

async function triggerRun(user: TestUser, fields: Record<string, unknown>) {
  const flow = { name: 'Report', agent_id: await createAgent(user.client), ...fields };
  const path = `/api/workflows/${(await user.client.post<{ id: string }>('/api/workflows', flow)).json.id}`;
  const { json } = await user.client.post<{ run_id: string }>(`${path}/trigger`, {});
  /** Waits until the run is in a state, and returns its chat. */
  const reach = async (state: string) =>
    waitUntil(`the run to be ${state}`, async () => {
      const run = await user.client.get<{ status: string; chat_id: string }>(`${path}/runs/${json.run_id}`);
      return run.json.status === state ? run.json.chat_id : undefined;
    });
  return { reach, run: agentWorkflowRunId({ orgId: user.orgId, runId: json.run_id }) };
}

async function decideNext({ client }: TestUser, approve: boolean): Promise<void> {
  const id = await waitUntil('something to wait for a decision', async () => {
    const { json } = await client.get<readonly { id: string }[]>('/api/approvals?status=pending');
    return json[0]?.id;
  });
  await client.post(`/api/approvals/${id}/decision`, { approve });
}

async function probeProvider(instance: TestInstance, client: Client): Promise<string> {
  const { user } = await startTalk(instance);
  const providerId = await createProvider(user.client, instance.model.url, { name: 'Probed' });
  const { status } = await user.client.post(`/api/providers/${providerId}/test`);
  if (status !== 200) throw new Error(`the probe answered ${status}`);
  for await (const { workflowId } of client.workflow.list({ query: "WorkflowType = 'probeProvider'" }))
    return workflowId;
  throw new Error('no probe was run');
}

/** Asks an account for its models. */
async function listProviderModels(instance: TestInstance, client: Client): Promise<string> {
  const { user } = await startTalk(instance);
  const providerId = await createProvider(user.client, instance.model.url, { name: 'Asked' });
  const { status } = await user.client.get(`/api/providers/${providerId}/models`);
  if (status !== 200) throw new Error(`the list answered ${status}`);
  for await (const { workflowId } of client.workflow.list({ query: "WorkflowType = 'listProviderModels'" }))
    return workflowId;
  throw new Error('no account was asked');
}

/** Holds a sign-in at a provider that is over before its program has begun. */
async function signInAtProvider(client: Client): Promise<string> {
  const signIn = { orgId: randomUUID(), signInId: randomUUID() };
  await startProviderSignIn(client, signIn);
  return providerSignInId(signIn);
}

/** Asks an MCP server that is not there for its tools. */
async function probeMcpServer(instance: TestInstance, client: Client): Promise<string> {
  const { user } = await startTalk(instance);
  const server = { name: 'Probed', url: 'https://mcp.example.invalid/mcp' };
  const { json } = await user.client.post<{ id: string }>('/api/mcp-servers', server);
  const { status } = await user.client.post(`/api/mcp-servers/${json.id}/tools/fetch`);
  if (status !== 502) throw new Error(`the fetch answered ${status}`);
  for await (const { workflowId } of client.workflow.list({ query: "WorkflowType = 'probeMcpServer'" }))
    return workflowId;
  throw new Error('no server was probed');
}

/** Tests an integration with a service that is not there. */
async function checkIntegration(instance: TestInstance, client: Client): Promise<string> {
  const { user } = await startTalk(instance);
  const fields = { kind: 'http', name: 'Tested', base_url: 'https://tracker.example.invalid' };
  const integration = { ...fields, credentials: { api_key: 'a-sample-key' } };
  const { json } = await user.client.post<{ id: string }>('/api/integrations', integration);
  const { status } = await user.client.post(`/api/integrations/${json.id}/test`);
  if (status !== 200) throw new Error(`the test answered ${status}`);
  for await (const { workflowId } of client.workflow.list({ query: "WorkflowType = 'checkIntegration'" }))
    return workflowId;
  throw new Error('no integration was tested');
}

/** Signs in with an integration whose service is not there, and deletes it. */
async function signInWithIntegration(instance: TestInstance, client: Client): Promise<Recording[]> {
  const { user } = await startTalk(instance);
  const fields = { kind: 'gitlab', name: 'Signed in', base_url: 'https://git.example.invalid' };
  const credentials = { client_id: 'a-client', client_secret: 'a-sample-secret' };
  const { json } = await user.client.post<{ id: string }>('/api/integrations', { ...fields, credentials });
  const path = `/api/integrations/${json.id}`;
  const begun = await user.client.post<{ authorize_url: string }>(`${path}/oauth/start`, {});
  const state = new URL(begun.json.authorize_url).searchParams.get('state') ?? '';
  const callback = `${instance.api.url}/api/integrations/oauth/callback`;
  const asked = await fetch(`${callback}?${new URLSearchParams({ state, code: 'a-code' }).toString()}`);
  await fetch(callback, { method: 'POST', body: consentForm(await asked.text()) });
  const grant = sealGrant(
    new SecretBox([TEST_SECRET_KEY]),
    { orgId: user.orgId, id: json.id },
    { accessToken: 'a-token' },
  );
  await instance.api.database.system.query('update integrations set granted = $2 where id = $1', [json.id, grant]);
  await user.client.delete(path);
  return [
    { name: 'sign-in-with-integration', workflowId: await workflowOf(client, 'signInWithIntegration') },
    { name: 'end-integration-grant', workflowId: await workflowOf(client, 'endIntegrationGrant') },
  ];
}

async function workflowOf(client: Client, type: string): Promise<string> {
  return waitUntil(`a workflow ${type}`, async () => {
    for await (const { workflowId, status } of client.workflow.list({ query: `WorkflowType = '${type}'` }))
      if (status.name !== 'RUNNING') return workflowId;
    return undefined;
  });
}

/** Begins to sign in at an MCP server that is not there. */
async function signInAtMcpServer(instance: TestInstance, client: Client): Promise<string> {
  const { user } = await startTalk(instance);
  const config = { oauth: { grant: 'authorization_code' } };
  const server = { name: 'Signed in', url: 'https://mcp.example.invalid/mcp', auth_type: 'oauth', config };
  const { json } = await user.client.post<{ id: string }>('/api/mcp-servers', server);
  const { status } = await user.client.post(`/api/mcp-servers/${json.id}/oauth/start`);
  if (status !== 502) throw new Error(`the sign-in began with ${status}`);
  for await (const { workflowId } of client.workflow.list({ query: "WorkflowType = 'signInAtMcpServer'" }))
    return workflowId;
  throw new Error('nobody has signed in');
}

/** The extraction of the text of a file. */
async function extractText(instance: TestInstance): Promise<string> {
  const { user } = await startTalk(instance);
  const fileId = await uploadFile(user.client, await createChat(user.client));
  return extractTextId({ orgId: user.orgId, fileId });
}

/** The reading of a document of a knowledge base. */
async function readDocument(instance: TestInstance): Promise<string> {
  const { user } = await startTalk(instance);
  const base = await user.client.post<{ id: string }>('/api/knowledge-bases', { name: 'Read' });
  const path = `/api/knowledge-bases/${base.json.id}/documents`;
  const { json } = await user.client.post<{ id: string }>(path, { text: 'Tea is at four.' });
  return readDocumentId({ orgId: user.orgId, documentId: json.id });
}

/** Adds a task whose agent begins as soon as it may. */
async function addTask({ user }: { readonly user: TestUser }, title: string) {
  const agentId = await createAgent(user.client);
  const chatId = await createChat(user.client, agentId);
  const added = { chat_id: chatId, title, assigned_agent_id: agentId };
  const { id } = (await user.client.post<{ id: string }>('/api/tasks', added)).json;
  const reach = async (state: string) =>
    waitUntil(`the task to be ${state}`, async () => {
      const { json } = await user.client.get<{ status: string }>(`/api/tasks/${id}`);
      return json.status === state || undefined;
    });
  return { reach, task: taskWorkflowId({ orgId: user.orgId, taskId: id }) };
}

/** A task that an agent works on at once. */
async function doTask(instance: TestInstance): Promise<string> {
  const { task, reach } = await addTask(await startTalk(instance), '[[say sent]]');
  await reach('completed');
  return task;
}

/** A task whose workflow is cancelled while an agent works on it. */
async function cancelTask(instance: TestInstance, client: Client): Promise<string> {
  const { task, reach } = await addTask(await startTalk(instance), '[[say a]] [[think 60s]]');
  const handle = client.workflow.getHandle(task);
  await untilAsked(handle);
  await handle.cancel();
  await reach('interrupted');
  return task;
}

/** A task that waits until the end of another turn leaves room for its own. */
async function waitForRoom(instance: TestInstance, client: Client): Promise<string> {
  const talk = await startTalk(instance);
  const { orgId, id: userId } = talk.user;
  const room = await fillRoom(instance.api.database, { orgId, userId });
  const { task, reach } = await addTask(talk, '[[say sent]]');
  await untilAsked(client.workflow.getHandle(task));
  await room.endOne();
  await reach('completed');
  await room.empty();
  return task;
}

/** The vectors of a knowledge base, which wait for an account that makes them until they are not wanted any more. */
async function embedKnowledgeBase(instance: TestInstance): Promise<string> {
  const { user } = await startTalk(instance);
  const { json } = await user.client.post<{ id: string }>('/api/knowledge-bases', { name: 'Embedded' });
  const path = `/api/knowledge-bases/${json.id}`;
  await user.client.post(`${path}/documents`, { text: 'Tea is at four.' });
  await waitUntil('the vectors to wait', async () => {
    const base = await user.client.get<{ embedding: { status: string } }>(path);
    return base.json.embedding.status === 'waiting' || undefined;
  });
  await user.client.patch(path, { embedding_model: 'off' });
  return embedKnowledgeBaseId({ orgId: user.orgId, knowledgeBaseId: json.id });
}

/** The search of a knowledge base by meaning. */
async function embedQuery(instance: TestInstance, client: Client, embeddings: EmbeddingServer): Promise<string> {
  const { user } = await startTalk(instance);
  await createProvider(user.client, embeddings.url);
  const fields = { name: 'Searched', embedding_model: 'openai-compatible/small' };
  const { json } = await user.client.post<{ id: string }>('/api/knowledge-bases', fields);
  const path = `/api/knowledge-bases/${json.id}`;
  await user.client.post(`${path}/documents`, { text: 'Tea is at four.' });
  await waitUntil('a passage to have a vector', async () => {
    const base = await user.client.get<{ embedding: { passages: number } }>(path);
    return base.json.embedding.passages > 0 || undefined;
  });
  await user.client.get(`${path}/search?q=tea`);
  for await (const { workflowId } of client.workflow.list({ query: "WorkflowType = 'embedQuery'" })) return workflowId;
  throw new Error('nothing was searched for');
}

/**
 * The tree of a repository whose host is not there: the project gets another address while its workflow waits, and is
 * deleted then.
 */
async function refreshTree(instance: TestInstance): Promise<string> {
  const { user } = await startTalk(instance);
  const project = { name: 'Read', repo_url: 'https://git.example.invalid/group/app', repo_type: 'gitea' };
  const { json } = await user.client.post<{ id: string }>('/api/projects', project);
  const path = `/api/projects/${json.id}`;
  const hasFailed = async (isNew: (fetch: unknown) => boolean) =>
    waitUntil('the repository to be asked for', async () => {
      const { rows } = await instance.api.database.system.query<{ failures: number; url: string }>(
        'select failures, repo_url as url from repo_trees where project_id = $1',
        [json.id],
      );
      return rows[0] !== undefined && rows[0].failures > 0 && isNew(rows[0].url) ? true : undefined;
    });
  await hasFailed(() => true);
  await user.client.patch(path, { repo_url: `${project.repo_url}-2` });
  await hasFailed((url) => url !== project.repo_url);
  await user.client.delete(path);
  return refreshRepoTreeId({ orgId: user.orgId, projectId: json.id });
}

/** The refresh of an index of the marketplace that is not there. */
async function refreshIndex(instance: TestInstance): Promise<string> {
  const { database } = instance.api;
  const source = 'https://items.example.invalid/index.json';
  await addIndexes(database, [source]);
  const { rows } = await database.system.query<{ indexId: string }>(
    'select id as "indexId" from marketplace_indexes where source = $1',
    [source],
  );
  const indexId = rows[0]?.indexId ?? '';
  await database.follow([{ dueWork: [{ kind: 'marketplace-index', indexId }] }]);
  return refreshMarketplaceIndexId({ indexId });
}

/** A sync of issues that first waits, because its code host has failed. */
async function syncIssues(instance: TestInstance, host: HostServer): Promise<string> {
  const { user } = await startTalk(instance);
  host.world.addIssue();
  const project = { name: 'Synced', repo_url: host.repoUrl, repo_type: 'github' };
  const { json } = await user.client.post<{ id: string }>('/api/projects', project);
  await waitUntil('the repository to be read', async () => {
    const read = await user.client.get<{ repo_status: string }>(`/api/projects/${json.id}`);
    return read.json.repo_status !== 'pending' || undefined;
  });
  host.fail(1, ({ response }) => void response.writeHead(503).end());
  const sync = await user.client.post<{ id: string }>(`/api/projects/${json.id}/sync-issues`);
  return syncIssuesId({ orgId: user.orgId, projectId: json.id, syncId: sync.json.id });
}

/** A change that goes to the code host of an issue, which first fails. */
async function pushIssues(instance: TestInstance, host: HostServer): Promise<string> {
  const { user } = await startTalk(instance);
  const project = { name: 'Told', repo_url: host.repoUrl, repo_type: 'github', sync_direction: 'both' };
  const { json } = await user.client.post<{ id: string }>('/api/projects', project);
  await user.client.post(`/api/projects/${json.id}/sync-issues`);
  const issueId = await waitUntil('an issue to be synced', async () => {
    const issues = await user.client.get<{ id: string }[]>(`/api/issues?project_id=${json.id}`);
    return issues.json[0]?.id;
  });
  host.fail(1, ({ response }) => void response.writeHead(503).end());
  await user.client.patch(`/api/issues/${issueId}`, { title: 'Changed' });
  return pushIssuesId({ orgId: user.orgId, projectId: json.id });
}

/** The delivery of a webhook, which fails, fails again after a wait, and is asked for in the next one. */
async function deliverWebhooks(instance: TestInstance, receiver: OutsideServer): Promise<string> {
  const talk = await startTalk(instance);
  const { user, socket } = talk;
  const chats = await user.client.get<{ id: string }[]>('/api/chats');
  const chatId = chats.json[0]?.id ?? '';
  const path = `/api/chats/${chatId}/webhook`;
  await user.client.patch(path, { url: receiver.url });
  const failures = async (count: number) =>
    waitUntil('a failure to be noted', async () => {
      const { json } = await user.client.get<{ id: string; attempts: number; next_attempt_at: string }[]>(
        `${path}/deliveries`,
      );
      const [only] = json;
      // oxlint-disable-next-line everturn/no-asserted-time -- a date that is still to come
      return only?.attempts === count && Date.parse(only.next_attempt_at) > Date.now() ? only.id : undefined;
    });
  receiver.reply = jsonReply({}, 503);
  say(talk, 'hello');
  await failures(1);
  receiver.reply = (response) => void response.writeHead(503, { 'retry-after': '3600' }).end();
  const id = await failures(2);
  receiver.reply = jsonReply({});
  await user.client.post(`${path}/deliveries/${id}/redeliver`);
  socket.close();
  const { rows } = await instance.api.database.system.query<{ targetId: string }>(
    'select id as "targetId" from webhook_targets where chat_id = $1',
    [chatId],
  );
  return deliverWebhooksId({ orgId: user.orgId, targetId: rows[0]?.targetId ?? '' });
}

/** The try of a custom tool. */
/** Has the Schedule of the housekeeping start it. */
async function runHousekeeping(client: Client): Promise<string> {
  await client.schedule.getHandle(housekeepingId({ interval: 'minute' })).trigger();
  return waitUntil('the housekeeping', async () => {
    const query = "WorkflowType = 'housekeeping' and ExecutionStatus = 'Completed'";
    for await (const { workflowId } of client.workflow.list({ query })) return workflowId;
    return undefined;
  });
}

async function tryTool(instance: TestInstance, client: Client): Promise<string> {
  const { user } = await startTalk(instance);
  const files = {
    'tool.json': JSON.stringify({ parameters: { type: 'object' }, runtime: 'javascript' }),
    'main.js': 'export default () => 1',
  };
  const toolId = await createTool(user.client, files);
  const { status } = await user.client.post(`/api/tools/${toolId}/test`, {});
  if (status !== 200) throw new Error(`the try answered ${status}`);
  for await (const { workflowId } of client.workflow.list({ query: "WorkflowType = 'tryTool'" })) return workflowId;
  throw new Error('no tool was tried');
}

/** A slot of a schedule. */
async function scheduleSlot(instance: TestInstance, jitterSeconds: number): Promise<string> {
  const { user } = await startTalk(instance);
  const start_at = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 2_000).toISOString();
  const fields = { interval_minutes: 60, start_at, jitter_seconds: jitterSeconds };
  const agent_id = await createAgent(user.client);
  const schedule = { name: 'Report', agent_id, prompt: '[[say done]]', ...fields };
  const { json } = await user.client.post<{ id: string }>('/api/schedules', schedule);
  return scheduleSlotId({ orgId: user.orgId, scheduleId: json.id }, Date.parse(start_at));
}

/** The purge of an organization that was deleted. */
async function purgeOrg(instance: TestInstance): Promise<string> {
  const { user } = await startTalk(instance);
  const { status } = await user.client.delete(`/api/orgs/${user.orgId}`);
  if (status !== 204) throw new Error(`the organization was not deleted: ${status}`);
  return purgeOrgId(user);
}

/** The purge of an organization that nobody has deleted, which removes nothing. */
async function refusePurge(instance: TestInstance, client: Client): Promise<string> {
  const { user } = await startTalk(instance);
  await startOrgPurge(client, user.orgId);
  return purgeOrgId(user);
}

async function record(client: Client, { name, workflowId, runId }: Recording): Promise<void> {
  const handle = client.workflow.getHandle(workflowId, runId);
  // The workflow of a recording may be started in the background.
  await waitUntil(`${name} to begin`, async () => handle.describe().catch(() => undefined), CLOSE_LIMIT_MS);
  await waitUntil(`${name} to close`, async () => ((await isOpen(handle)) ? undefined : true), CLOSE_LIMIT_MS);
  const json = historyToJSON(await handle.fetchHistory());
  // Workers and clients name themselves after their process and machine.
  const anonymous = json.replaceAll(new RegExp(`(\\d+@)?\\b${hostname()}\\b(-\\w+)*`, 'g'), 'recorder');
  writeFileSync(new URL(`${VERSION}${name}.json`, FOLDER), `${anonymous}\n`);
  process.stdout.write(`${name}\n`);
}

async function isOpen(handle: WorkflowHandle): Promise<boolean> {
  return (await handle.describe()).status.name === 'RUNNING';
}

/** The servers of the outside world. */
interface Outside {
  readonly host: HostServer;
  readonly receiver: OutsideServer;
  readonly embeddings: EmbeddingServer;
}

async function withInstance(
  temporalConfig: Record<string, string>,
  work: (instance: TestInstance, client: Client, outside: Outside) => Promise<void>,
): Promise<void> {
  const host = await HostServer.start('github');
  const receiver = await OutsideServer.start();
  const embeddings = await EmbeddingServer.start();
  const openPorts = [host.port, receiver.port, embeddings.port];
  const instance = await startOwnInstance({ temporalConfig, openPorts });
  const connection = await Connection.connect({ address: instance.temporalAddress });
  try {
    await work(instance, new Client({ connection }), { host, receiver, embeddings });
  } finally {
    await connection.close();
    await instance.close();
    host.close();
    receiver.close();
    embeddings.close();
  }
}

async function recordUsualRuns(instance: TestInstance, client: Client, outside: Outside): Promise<void> {
  const { host, receiver, embeddings } = outside;
  // First, because they kill the worker of all others.
  const crashed = await crashDuringTurn(instance);
  const crashedLater = await crashBetweenSteps(instance);
  const delegated = await delegate(instance);
  const stopped = await interruptSubAgents(instance, client);
  const decided = await waitForDecisions(instance);
  const asked = await waitBeforeStep(instance);
  const recordings: Recording[] = [
    { name: 'conversation-retried-between-steps', workflowId: crashedLater },
    { name: 'conversation-with-tool-calls', workflowId: await callTools(instance) },
    { name: 'conversation-with-sub-agents', workflowId: delegated.workflowId },
    ...numbered('sub-agent', delegated.subAgents),
    { name: 'conversation-interrupted-with-sub-agents', workflowId: stopped.workflowId },
    ...numbered('sub-agent-interrupted', stopped.subAgents),
    { name: 'conversation-waited-for-decisions', workflowId: decided.workflowId },
    ...numbered('sub-agent-waited-for-decisions', decided.subAgents),
    { name: 'conversation-waited-before-a-step', workflowId: asked.conversation },
    { name: 'agent-workflow-run-waited-before-a-step', workflowId: asked.run },
    { name: 'agent-workflow-run-retried-a-step', workflowId: await retryStep(instance) },
    { name: 'agent-workflow-run-cancelled', workflowId: await cancelRun(instance, client) },
    { name: 'conversation-waited-for-a-provider', workflowId: await waitForProvider(instance) },
    { name: 'conversation-interrupted-in-a-wait', workflowId: await interruptWait(instance) },
    { name: 'conversation-retried-after-a-crash', workflowId: crashed },
    { name: 'conversation-one-turn', workflowId: await talk(instance, 1) },
    { name: 'conversation-several-turns', workflowId: await talk(instance, 3) },
    { name: 'conversation-with-a-long-turn', workflowId: await takeLong(instance) },
    { name: 'conversation-woken-during-a-turn', workflowId: await wakeDuringTurn(instance) },
    { name: 'probe-provider', workflowId: await probeProvider(instance, client) },
    { name: 'list-provider-models', workflowId: await listProviderModels(instance, client) },
    { name: 'sign-in-at-provider', workflowId: await signInAtProvider(client) },
    { name: 'probe-mcp-server', workflowId: await probeMcpServer(instance, client) },
    { name: 'check-integration', workflowId: await checkIntegration(instance, client) },
    { name: 'sign-in-at-mcp-server', workflowId: await signInAtMcpServer(instance, client) },
    ...(await signInWithIntegration(instance, client)),
    { name: 'extract-text', workflowId: await extractText(instance) },
    { name: 'read-document', workflowId: await readDocument(instance) },
    { name: 'embed-knowledge-base', workflowId: await embedKnowledgeBase(instance) },
    { name: 'embed-query', workflowId: await embedQuery(instance, client, embeddings) },
    { name: 'refresh-marketplace-index', workflowId: await refreshIndex(instance) },
    { name: 'sync-issues', workflowId: await syncIssues(instance, host) },
    { name: 'push-issues', workflowId: await pushIssues(instance, host) },
    { name: 'enter-messages', workflowId: ENTER_MESSAGES_ID },
    { name: 'deliver-webhooks', workflowId: await deliverWebhooks(instance, receiver) },
    { name: 'refresh-repo-tree', workflowId: await refreshTree(instance) },
    { name: 'task', workflowId: await doTask(instance) },
    { name: 'task-cancelled', workflowId: await cancelTask(instance, client) },
    { name: 'task-waited-for-room', workflowId: await waitForRoom(instance, client) },
    { name: 'try-tool', workflowId: await tryTool(instance, client) },
    { name: 'housekeeping', workflowId: await runHousekeeping(client) },
    { name: 'schedule-slot', workflowId: await scheduleSlot(instance, 0) },
    { name: 'schedule-slot-with-jitter', workflowId: await scheduleSlot(instance, 10) },
    { name: 'purge-org', workflowId: await purgeOrg(instance) },
    { name: 'purge-org-refused', workflowId: await refusePurge(instance, client) },
  ];
  await Promise.all(recordings.map((recording) => record(client, recording)));
}

function numbered(name: string, workflowIds: readonly string[]): Recording[] {
  return workflowIds.map((workflowId, index) => ({ name: `${name}-${index + 1}`, workflowId }));
}

async function recordContinuedRuns(instance: TestInstance, client: Client): Promise<void> {
  await recordContinued(client, 'conversation-continued-as-new', await talk(instance, 8));
  await recordContinued(client, 'agent-workflow-run-continued-as-new', await takeSteps(instance));
}

async function recordContinued(client: Client, name: string, workflowId: string): Promise<void> {
  for await (const { runId, status } of client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) {
    if (status.name !== 'CONTINUED_AS_NEW') continue;
    return record(client, { name, workflowId, runId });
  }
  throw new Error(`${name}: it did not continue as new`);
}

mkdirSync(FOLDER, { recursive: true });
await setUp();
try {
  await withInstance({}, recordUsualRuns);
  await withInstance({ 'limit.historyCount.suggestContinueAsNew': FEW_EVENTS }, recordContinuedRuns);
} finally {
  await tearDown();
}
process.exit(0);
