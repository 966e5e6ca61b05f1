import { Client, Connection, ScheduleNotFoundError } from '@temporalio/client';
import { agentWorkflowRunId } from '../../workflows/agent-workflows/contract.ts';
import { temporalScheduleId } from '../../workflows/schedules/contract.ts';
import { ApiClient } from '../support/api-client.ts';
import { HostServer } from '../support/code-hosts/index.ts';
import { EmbeddingServer } from '../support/embedding-server.ts';
import { createAgent, createChat, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { FakeSlack } from '../support/fake-slack.ts';
import { IndexServer } from '../support/index-server.ts';
import { json, OutsideServer } from '../support/outside-server.ts';
import { SseClient } from '../support/sse-client.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';
import type { TestInstance } from '../support/test-instance.ts';
import { Valve } from '../support/valve.ts';
import { waitUntil } from '../support/wait-until.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Something that is stored, and whose start or signal is lost: the process is gone, or Temporal is away. */
export interface LostStart {
  /** Stores it, through an api or by a worker that reaches no Temporal. */
  readonly store: () => Promise<unknown>;
  /** What has come of it by now. */
  readonly outcome: () => Promise<unknown>;
  /** What comes of it when it is done once. */
  readonly once: unknown;
}

export let instance: TestInstance;
export let connection: Connection;
export let temporal: Client;
/** An api on the same database, which reaches no Temporal. */
export let cutOff: TestApi;
/** Leads the worker to Temporal that is there before starts are lost. */
export let valve: Valve;
export let user: TestUser;
/** Calls that api as the user. */
export let cut: ApiClient;
export let agentId: string;
export let host: HostServer;
export let index: IndexServer;
export let receiver: OutsideServer;
export let vectors: EmbeddingServer;
export let slack: FakeSlack;

export const FIND = { name: 'find', prompt_template: '[[say found]]' };
export const SEND = { name: 'send', prompt_template: '[[say sent]]', approval: true };

export async function added(path: string, fields: Fields, client = user.client): Promise<string> {
  const { status, json: answer } = await client.post<{ id: string }>(path, fields);
  if (status >= 300) throw new Error(`${path} answered ${status}: ${JSON.stringify(answer)}`);
  return answer.id;
}

export const read = async <T = Fields>(path: string): Promise<T> => (await user.client.get<T>(path)).json;
export const query = async (text: string, values: unknown[] = []) =>
  (await cutOff.database.system.query<Fields>(text, values)).rows;

export const addWorkflow = async (fields: Fields) =>
  added('/api/workflows', { name: 'Report', agent_id: agentId, ...fields });
/** The runs of a workflow or a schedule, and how many turns each has had. */
export const runsOf = async (id: string) =>
  query(
    `select status, output, (select count(*)::int from turns t where t.run_id = r.id) as turns from workflow_runs r
      where workflow_id = $1 or schedule_id = $1 order by id`,
    [id],
  );
export const COMPLETED = { status: 'completed', output: 'found', turns: 1 };

/** The state of the Temporal workflow of a workflow's only run; null without one. */
export async function workflowOfRun(id: string): Promise<string | null> {
  const [run] = await query('select id from workflow_runs where workflow_id = $1', [id]);
  return stateInTemporal(String(run?.['id']));
}

export async function stateInTemporal(runId: string): Promise<string | null> {
  const describing = temporal.workflow.getHandle(agentWorkflowRunId({ orgId: user.orgId, runId })).describe();
  return describing.then(({ status }) => status.name).catch(() => null);
}

/** A run of a workflow that waits for a decision before its second step. */
export async function waitingRun(): Promise<{
  readonly id: string;
  readonly run: Fields;
  readonly approvalId: string;
}> {
  const id = await addWorkflow({ steps: [FIND, SEND] });
  const path = `/api/workflows/${id}`;
  await user.client.post(`${path}/trigger`, {});
  return waitUntil('a step to wait', async () => {
    const [run] = await read<Fields[]>(`${path}/runs`);
    const pending = await read<{ id: string; run_id: string }[]>('/api/approvals?status=pending&limit=100');
    const approval = pending.find(({ run_id: runId }) => runId === run?.['id']);
    return run === undefined || approval === undefined ? undefined : { id, run, approvalId: approval.id };
  });
}

/** A chat whose turn waits for a decision about a call. */
export async function waitingChat(): Promise<{ readonly chatId: string; readonly approvalId: string }> {
  const agent = { tools: ['memory_manage'], requires_approval: { memory_manage: 'writes' } };
  const chatId = await createChat(user.client, await createAgent(user.client, agent));
  const call = { action: 'add', content: chatId };
  await say(user.client, chatId, `[[tool memory_manage ${JSON.stringify(call)}]] [[then]] [[say noted]]`);
  return waitUntil('a call to wait', async () => {
    const pending = await read<{ id: string; chat_id: string }[]>('/api/approvals?status=pending&limit=100');
    const approval = pending.find((each) => each.chat_id === chatId);
    return approval && { chatId, approvalId: approval.id };
  });
}

export async function say({ url }: ApiClient, chatId: string, content: string): Promise<void> {
  const stream = await SseClient.open({
    url: `${url}/api/chats/${chatId}/stream`,
    token: user.accessToken,
    body: { content },
  });
  if (stream.status !== 200) throw new Error(`the message was answered with ${stream.status}`);
  stream.close();
}

export const turnsOf = async (chatId: string) =>
  query(
    'select status, (select count(*)::int from messages m where m.turn_id = t.id) as messages from turns t where chat_id = $1 order by seq',
    [chatId],
  );
export const answersOf = async (chatId: string) =>
  (await read<Fields[]>(`/api/chats/${chatId}/messages`)).flatMap(({ role, content }) =>
    role === 'assistant' ? [content] : [],
  );
export const decide = async (approvalId: string) =>
  cut.post(`/api/approvals/${approvalId}/decision`, { approve: true });
export const expire = async (approvalId: string) =>
  query("update approvals set expires_at = now() - interval '1 second' where id = $1", [approvalId]);

/** Has a worker store how the turns of a chat end that waits for a gate of the model. */
export async function endTurn(chatId: string, gate: string): Promise<void> {
  instance.model.release(gate);
  await waitUntil(
    'the turn to end',
    async () => (await turnsOf(chatId)).every(({ status }) => status === 'completed') || undefined,
  );
}

/** Waits until the turn of a chat has begun. */
export async function begun(chatId: string): Promise<string> {
  return waitUntil('the turn to begin', async () =>
    (await turnsOf(chatId)).some(({ status }) => status === 'running') ? chatId : undefined,
  );
}

export async function addSchedule(fields: Fields = {}): Promise<string> {
  const schedule = { name: 'Report', agent_id: agentId, prompt: '[[say found]]', interval_minutes: 60, ...fields };
  const id = await added('/api/schedules', schedule);
  await applied(id);
  return id;
}

export async function applied(id: string): Promise<void> {
  await waitUntil('Temporal to be told', async () => {
    const [row] = await query('select version = applied_version as "isApplied" from schedules where id = $1', [id]);
    return row?.['isApplied'] === true ? true : undefined;
  });
}

export const temporalScheduleOf = (scheduleId: string) =>
  temporal.schedule.getHandle(temporalScheduleId({ orgId: user.orgId, scheduleId }));

/** The interval of the Temporal Schedule of a schedule, in milliseconds; null without one. */
export async function intervalOf(scheduleId: string): Promise<unknown> {
  try {
    const { spec, state } = await temporalScheduleOf(scheduleId).describe();
    return state.paused ? 'paused' : spec.intervals?.[0]?.every;
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return null;
    throw error;
  }
}

export async function addProject(client: ApiClient, fields: Fields = {}): Promise<string> {
  const project = { name: 'Website', repo_url: host.repoUrl, repo_type: 'github', ...fields };
  return added('/api/projects', project, client);
}

export async function isRead(projectId: string): Promise<string> {
  return waitUntil('the repository to be read', async () => {
    const { repo_status: status } = await read(`/api/projects/${projectId}`);
    return status === 'pending' ? undefined : projectId;
  });
}

export async function isSynced(projectId: string): Promise<string> {
  await user.client.post(`/api/projects/${projectId}/sync-issues`);
  return waitUntil(
    'the issue',
    async () => (await read<{ id: string }[]>(`/api/issues?project_id=${projectId}`))[0]?.id,
  );
}

/** Lets it be a while ago that rows were stored. */
export async function age(): Promise<void> {
  const columns = {
    workflow_runs: 'updated_at',
    tasks: 'due_at',
    webhook_targets: 'due_at',
    channel_events: 'next_attempt_at',
    chat_files: 'updated_at',
    knowledge_documents: 'updated_at',
    knowledge_bases: 'embedding_due_at',
    project_syncs: 'due_at',
    issue_pushes: 'due_at',
    repo_trees: 'due_at',
    integration_revocations: 'created_at',
    marketplace_indexes: 'due_at',
    orgs: 'deleted_at',
    purged_orgs: 'purged_at',
  };
  for (const [table, column] of Object.entries(columns))
    await query(
      `update ${table} set ${column} = ${column} - interval '1 minute' where ${column} < now() + interval '1 minute'`,
    );
}

/** Starts what starts can be lost in, and a worker whose connection to Temporal can be cut. */
export async function openInstallation(start: (marketplaceIndexes: string) => Promise<TestInstance>): Promise<void> {
  [host, index, receiver, vectors, slack] = await Promise.all([
    HostServer.start('github'),
    IndexServer.start(),
    OutsideServer.start(),
    EmbeddingServer.start(),
    FakeSlack.start(),
  ]);
  receiver.reply = json({});
  host.world.addIssue();
  const marketplaceIndexes = `${index.url}/index.json`;
  index.offer();
  instance = await start(marketplaceIndexes);
  connection = await Connection.connect({ address: instance.temporalAddress });
  temporal = new Client({ connection });
  const { databaseUrl } = instance;
  cutOff = await startTestApi({
    databaseUrl,
    temporalAddress: '127.0.0.1:1',
    privateHosts: '127.0.0.1:*',
    marketplaceIndexes,
  });
  user = await registerUser(instance.api.url);
  cut = new ApiClient(cutOff.url, user.accessToken);
  await createProvider(user.client, instance.model.url);
  agentId = await createAgent(user.client);
  await instance.killWorkers();
  valve = await Valve.open(`http://${instance.temporalAddress}`);
  await instance.addWorker({ TEMPORAL_ADDRESS: new URL(valve.url).host });
}

/** Ends it with all servers. */
export async function closeInstallation(): Promise<void> {
  await cutOff.close();
  await connection.close();
  await instance.close();
  valve.close();
  for (const server of [host, index, receiver, vectors.outside, slack]) server.close();
}
