import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client, Connection, ScheduleNotFoundError, ScheduleOverlapPolicy } from '@temporalio/client';
import { pino } from 'pino';
import { triggerRun } from '../../db/agent-workflows/index.ts';
import { SecretBox } from '../../db/core/index.ts';
import { sealGrant } from '../../db/integrations/index.ts';
import { purgeOrg } from '../../db/membership-changes/index.ts';
import { fireSchedule } from '../../db/schedules/index.ts';
import { parseOrgLimits } from '../../domain/orgs.ts';
import { recoverDueWork } from '../../worker/recover-due-work.ts';
import { agentWorkflowRunId } from '../../workflows/due-work/contract.ts';
import { housekeepingId } from '../../workflows/housekeeping/contract.ts';
import { temporalScheduleId } from '../../workflows/schedules/contract.ts';
import { ApiClient } from '../support/api-client.ts';
import { HostServer } from '../support/code-hosts/index.ts';
import { EmbeddingServer } from '../support/embedding-server.ts';
import {
  createAgent,
  createChat,
  createProvider,
  registerUser,
  type TestUser,
  uploadFile,
} from '../support/factories.ts';
import { IndexServer, sampleItem } from '../support/index-server.ts';
import { json, OutsideServer } from '../support/outside-server.ts';
import { SseClient } from '../support/sse-client.ts';
import { startTestApi, TEST_SECRET_KEY, type TestApi } from '../support/test-api.ts';
import type { TestInstance } from '../support/test-instance.ts';
import { Valve } from '../support/valve.ts';
import { waitUntil } from '../support/wait-until.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Something that is stored, and whose start or signal is lost: the process is gone, or Temporal is away. */
interface LostStart {
  /** Stores it, through an api or by a worker that reaches no Temporal. */
  readonly store: () => Promise<unknown>;
  /** What has come of it by now. */
  readonly outcome: () => Promise<unknown>;
  /** What comes of it when it is done once. */
  readonly once: unknown;
}

let instance: TestInstance;
let connection: Connection;
let temporal: Client;
/** An api on the same database, which reaches no Temporal. */
let cutOff: TestApi;
/** Leads the worker to Temporal that is there before starts are lost. */
let valve: Valve;
let user: TestUser;
/** Calls that api as the user. */
let cut: ApiClient;
let agentId: string;
let host: HostServer;
let index: IndexServer;
let receiver: OutsideServer;
let vectors: EmbeddingServer;

const FIND = { name: 'find', prompt_template: '[[say found]]' };
const SEND = { name: 'send', prompt_template: '[[say sent]]', approval: true };

async function added(path: string, fields: Fields, client = user.client): Promise<string> {
  const { status, json: answer } = await client.post<{ id: string }>(path, fields);
  if (status >= 300) throw new Error(`${path} answered ${status}: ${JSON.stringify(answer)}`);
  return answer.id;
}

const read = async <T = Fields>(path: string): Promise<T> => (await user.client.get<T>(path)).json;
const query = async (text: string, values: unknown[] = []) =>
  (await cutOff.database.system.query<Fields>(text, values)).rows;

const addWorkflow = async (fields: Fields) => added('/api/workflows', { name: 'Report', agent_id: agentId, ...fields });
/** The runs of a workflow or a schedule, and how many turns each has had. */
const runsOf = async (id: string) =>
  query(
    `select status, output, (select count(*)::int from turns t where t.run_id = r.id) as turns from workflow_runs r
      where workflow_id = $1 or schedule_id = $1 order by id`,
    [id],
  );
const COMPLETED = { status: 'completed', output: 'found', turns: 1 };

/** The state of the Temporal workflow of a workflow's only run; null without one. */
async function workflowOfRun(id: string): Promise<string | null> {
  const [run] = await query('select id from workflow_runs where workflow_id = $1', [id]);
  return stateInTemporal(String(run?.['id']));
}

async function stateInTemporal(runId: string): Promise<string | null> {
  const describing = temporal.workflow.getHandle(agentWorkflowRunId({ orgId: user.orgId, runId })).describe();
  return describing.then(({ status }) => status.name).catch(() => null);
}

/** A run of a workflow that waits for a decision before its second step. */
async function waitingRun(): Promise<{ readonly id: string; readonly run: Fields; readonly approvalId: string }> {
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
async function waitingChat(): Promise<{ readonly chatId: string; readonly approvalId: string }> {
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

async function say({ url }: ApiClient, chatId: string, content: string): Promise<void> {
  const stream = await SseClient.open({
    url: `${url}/api/chats/${chatId}/stream`,
    token: user.accessToken,
    body: { content },
  });
  if (stream.status !== 200) throw new Error(`the message was answered with ${stream.status}`);
  stream.close();
}

const turnsOf = async (chatId: string) =>
  query(
    'select status, (select count(*)::int from messages m where m.turn_id = t.id) as messages from turns t where chat_id = $1 order by seq',
    [chatId],
  );
const answersOf = async (chatId: string) =>
  (await read<Fields[]>(`/api/chats/${chatId}/messages`)).flatMap(({ role, content }) =>
    role === 'assistant' ? [content] : [],
  );
const decide = async (approvalId: string) => cut.post(`/api/approvals/${approvalId}/decision`, { approve: true });
const expire = async (approvalId: string) =>
  query("update approvals set expires_at = now() - interval '1 second' where id = $1", [approvalId]);

/** Has a worker store how the turns of a chat end that waits for a gate of the model. */
async function endTurn(chatId: string, gate: string): Promise<void> {
  instance.model.release(gate);
  await waitUntil(
    'the turn to end',
    async () => (await turnsOf(chatId)).every(({ status }) => status === 'completed') || undefined,
  );
}

/** Waits until the turn of a chat has begun. */
async function begun(chatId: string): Promise<string> {
  return waitUntil('the turn to begin', async () =>
    (await turnsOf(chatId)).some(({ status }) => status === 'running') ? chatId : undefined,
  );
}

async function addSchedule(fields: Fields = {}): Promise<string> {
  const schedule = { name: 'Report', agent_id: agentId, prompt: '[[say found]]', interval_minutes: 60, ...fields };
  const id = await added('/api/schedules', schedule);
  await applied(id);
  return id;
}

async function applied(id: string): Promise<void> {
  await waitUntil('Temporal to be told', async () => {
    const [row] = await query('select version = applied_version as "isApplied" from schedules where id = $1', [id]);
    return row?.['isApplied'] === true ? true : undefined;
  });
}

const temporalScheduleOf = (scheduleId: string) =>
  temporal.schedule.getHandle(temporalScheduleId({ orgId: user.orgId, scheduleId }));

/** The interval of the Temporal Schedule of a schedule, in milliseconds; null without one. */
async function intervalOf(scheduleId: string): Promise<unknown> {
  try {
    const { spec, state } = await temporalScheduleOf(scheduleId).describe();
    return state.paused ? 'paused' : spec.intervals?.[0]?.every;
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return null;
    throw error;
  }
}

async function addProject(client: ApiClient, fields: Fields = {}): Promise<string> {
  const project = { name: 'Website', repo_url: host.repoUrl, repo_type: 'github', ...fields };
  return added('/api/projects', project, client);
}

async function isRead(projectId: string): Promise<string> {
  return waitUntil('the repository to be read', async () => {
    const { repo_status: status } = await read(`/api/projects/${projectId}`);
    return status === 'pending' ? undefined : projectId;
  });
}

async function isSynced(projectId: string): Promise<string> {
  await user.client.post(`/api/projects/${projectId}/sync-issues`);
  return waitUntil(
    'the issue',
    async () => (await read<{ id: string }[]>(`/api/issues?project_id=${projectId}`))[0]?.id,
  );
}

/** By where it comes in. Each prepares what it needs, while nothing is lost. */
const LOST_STARTS: Readonly<Record<string, () => Promise<LostStart>>> = {
  'a message': async () => {
    const chatId = await createChat(user.client, agentId);
    return {
      store: async () => say(cut, chatId, '[[say hello]]'),
      outcome: async () => [await answersOf(chatId), await turnsOf(chatId)],
      once: [['hello'], [{ status: 'completed', messages: 2 }]],
    };
  },
  'the words of a message': async () => {
    const chatId = await createChat(user.client, agentId);
    return {
      store: async () => say(cut, chatId, '[[say quince]]'),
      outcome: async () => query('select count(*)::int as words from message_words where chat_id = $1', [chatId]),
      once: [{ words: 2 }],
    };
  },
  'an interrupt of a turn': async () => {
    const { chatId } = await waitingChat();
    return {
      store: async () => cut.post(`/api/chats/${chatId}/interrupt`),
      outcome: async () => turnsOf(chatId),
      once: [expect.objectContaining({ status: 'interrupted' })],
    };
  },
  'a decision about a call': async () => {
    const { chatId, approvalId } = await waitingChat();
    return {
      store: async () => decide(approvalId),
      outcome: async () => [
        await answersOf(chatId),
        await query('select count(*)::int as notes from agent_memories where content = $1', [chatId]),
      ],
      once: [['noted'], [{ notes: 1 }]],
    };
  },
  'the expiry of a call': async () => {
    const { chatId, approvalId } = await waitingChat();
    return {
      store: async () => expire(approvalId),
      outcome: async () => [await answersOf(chatId), (await read(`/api/approvals/${approvalId}`))['status']],
      once: [['noted'], 'expired'],
    };
  },
  'a run by hand': async () => {
    const id = await addWorkflow({ steps: [FIND] });
    return {
      store: async () => cut.post(`/api/workflows/${id}/trigger`, {}),
      outcome: async () => runsOf(id),
      once: [COMPLETED],
    };
  },
  'a run whose first step waits for a decision': async () => {
    const id = await addWorkflow({ steps: [SEND] });
    return {
      store: async () => cut.post(`/api/workflows/${id}/trigger`, {}),
      // The decision is asked for at once; the workflow waits for its expiry.
      outcome: async () => [await runsOf(id), await workflowOfRun(id)],
      once: [[{ status: 'running', output: null, turns: 0 }], 'RUNNING'],
    };
  },
  'a run of a webhook': async () => {
    const id = await addWorkflow({ steps: [FIND], trigger_type: 'webhook' });
    const path = `/api/workflows/${id}`;
    await user.client.post(`${path}/activate`);
    return {
      store: async () => cut.as(undefined).post(`${path}/webhook`, {}),
      outcome: async () => runsOf(id),
      once: [COMPLETED],
    };
  },
  'a run by an agent': async () => {
    const id = await addWorkflow({ steps: [FIND] });
    const step = { name: 'find', promptTemplate: FIND.prompt_template, agentId, approval: false, retries: 0 };
    const workflow = { id, orgId: user.orgId, name: 'Report', agentId, promptTemplate: '', steps: [step] };
    const trigger = { userId: user.id, triggeredBy: 'agent', variables: {}, deliveryKey: undefined } as const;
    return {
      // As its tool does, in a worker that reaches no Temporal.
      store: async () => {
        const { database } = cutOff;
        const deps = {
          database,
          orgLimits: parseOrgLimits(''),
          approvalWaitMs: 3_600_000,
          log: pino({ level: 'silent' }),
        };
        await triggerRun(deps, workflow, trigger);
      },
      outcome: async () => runsOf(id),
      once: [COMPLETED],
    };
  },
  'the end of a run that another one waits for': async () => {
    const id = await addWorkflow({ steps: [SEND], max_concurrent_runs: 1 });
    const path = `/api/workflows/${id}`;
    for (let run = 0; run < 2; run += 1) await user.client.post(`${path}/trigger`, {});
    const first = await waitUntil('the first one to wait', async () =>
      (await read<{ id: string; status: string }[]>(`${path}/runs`)).find(({ status }) => status === 'waiting'),
    );
    const second = async () =>
      query('select id, status from workflow_runs where workflow_id = $1 and id <> $2', [id, first.id]);
    return {
      store: async () => cut.post(`${path}/runs/${first.id}/interrupt`),
      outcome: async () => {
        const [run] = await second();
        return [run?.['status'], await stateInTemporal(String(run?.['id']))];
      },
      once: ['running', 'RUNNING'],
    };
  },
  'a decision about a step': async () => {
    const { id, approvalId } = await waitingRun();
    return {
      store: async () => decide(approvalId),
      outcome: async () => runsOf(id),
      once: [{ status: 'completed', output: 'sent', turns: 2 }],
    };
  },
  'the expiry of a step': async () => {
    const { id, approvalId } = await waitingRun();
    return {
      store: async () => expire(approvalId),
      outcome: async () => runsOf(id),
      once: [expect.objectContaining({ status: 'failed', turns: 1 })],
    };
  },
  'an interrupt of a run': async () => {
    const { id, run } = await waitingRun();
    return {
      store: async () => cut.post(`/api/workflows/${id}/runs/${String(run['id'])}/interrupt`),
      // The api ends the run; its workflow still waits.
      outcome: async () => [await runsOf(id), await workflowOfRun(id)],
      once: [[expect.objectContaining({ status: 'interrupted', turns: 1 })], 'COMPLETED'],
    };
  },
  'the deletion of the conversation of a run': async () => {
    const { id, run } = await waitingRun();
    return {
      store: async () => cut.delete(`/api/chats/${String(run['chat_id'])}`),
      // The api ends the run; its workflow still waits.
      outcome: async () => [await runsOf(id), await workflowOfRun(id)],
      once: [[expect.objectContaining({ status: 'interrupted' })], 'COMPLETED'],
    };
  },
  'a schedule': async () => {
    let id = '';
    const fields = { name: 'Report', agent_id: agentId, prompt: '[[say found]]', interval_minutes: 60 };
    return {
      store: async () => {
        id = await added('/api/schedules', fields, cut);
      },
      outcome: async () => intervalOf(id),
      once: 3_600_000,
    };
  },
  'a change of a schedule': async () => {
    const id = await addSchedule();
    return {
      store: async () => cut.patch(`/api/schedules/${id}`, { interval_minutes: 30 }),
      outcome: async () => intervalOf(id),
      once: 1_800_000,
    };
  },
  'a pause of a schedule': async () => {
    const id = await addSchedule();
    return {
      store: async () => cut.post(`/api/schedules/${id}/deactivate`),
      outcome: async () => intervalOf(id),
      once: 'paused',
    };
  },
  'the deletion of a schedule': async () => {
    const id = await addSchedule();
    return {
      store: async () => {
        await cut.delete(`/api/schedules/${id}`);
        // Its next slot removes the Temporal Schedule.
        await temporalScheduleOf(id).update((found) => ({ ...found, spec: { intervals: [{ every: '1 second' }] } }));
      },
      outcome: async () => intervalOf(id),
      once: null,
    };
  },
  'a run of a schedule by hand': async () => {
    const id = await addSchedule();
    return {
      store: async () => cut.post(`/api/schedules/${id}/trigger`),
      outcome: async () => runsOf(id),
      once: [COMPLETED],
    };
  },
  'a run of a slot of a schedule': async () => {
    const scheduleId = await addSchedule();
    return {
      // As the workflow of the slot does, on a worker that reaches no Temporal.
      store: async () => {
        await query("update schedules set next_run_at = date_trunc('second', now()) where id = $1", [scheduleId]);
        await fireSchedule(cutOff.database, { orgId: user.orgId, scheduleId }, new Date(), parseOrgLimits(''));
      },
      outcome: async () => runsOf(scheduleId),
      once: [COMPLETED],
    };
  },
  'runs of a schedule that are backfilled': async () => {
    const id = await addSchedule({ cron_expr: '@daily', interval_minutes: null });
    const span = { from: '2026-11-01T00:00:00Z', to: '2026-11-02T00:00:00Z' };
    return {
      store: async () => cut.post(`/api/schedules/${id}/backfill`, span),
      outcome: async () => runsOf(id),
      once: [COMPLETED, COMPLETED],
    };
  },
  'a task': async () => {
    const chatId = await createChat(user.client, agentId);
    let id = '';
    return {
      store: async () => {
        id = await added('/api/tasks', { chat_id: chatId, title: '[[say found]]', assigned_agent_id: agentId }, cut);
      },
      outcome: async () => read(`/api/tasks/${id}`),
      once: expect.objectContaining({ status: 'completed', attempts: 1, output: 'found' }),
    };
  },
  'the end of a task that another one waits for': async () => {
    const chatId = await createChat(user.client, agentId);
    const first = await added('/api/tasks', { chat_id: chatId, title: 'By a person' });
    const fields = { chat_id: chatId, title: '[[say found]]', assigned_agent_id: agentId, depends_on: [first] };
    const second = await added('/api/tasks', fields);
    return {
      store: async () => {
        for (const status of ['in_progress', 'completed']) await cut.patch(`/api/tasks/${first}`, { status });
      },
      outcome: async () => read(`/api/tasks/${second}`),
      once: expect.objectContaining({ status: 'completed', attempts: 1, output: 'found' }),
    };
  },
  'an interrupt of a task': async () => {
    const chatId = await createChat(user.client, agentId);
    const fields = { chat_id: chatId, title: '[[hold never after 1 chunk]]', assigned_agent_id: agentId };
    const id = await added('/api/tasks', fields);
    await waitUntil('the task to be worked on', async () =>
      (await read(`/api/tasks/${id}`))['status'] === 'in_progress' ? true : undefined,
    );
    return {
      store: async () => cut.post(`/api/tasks/${id}/interrupt`),
      outcome: async () => read(`/api/tasks/${id}`),
      once: expect.objectContaining({ status: 'interrupted', attempts: 1 }),
    };
  },
  'a delivery of a webhook': async () => {
    const chatId = await createChat(user.client, agentId);
    const path = `/api/chats/${chatId}/webhook`;
    await user.client.patch(path, { url: `${receiver.url}/${chatId}` });
    await say(user.client, chatId, '[[say hello]]');
    const id = await waitUntil('the delivery', async () => {
      const [delivery] = await read<{ id: string; status: string }[]>(`${path}/deliveries`);
      return delivery?.status === 'delivered' ? delivery.id : undefined;
    });
    return {
      store: async () => cut.post(`${path}/deliveries/${id}/redeliver`),
      outcome: async () => receiver.seen.filter(({ url }) => url.endsWith(chatId)).length,
      once: 2,
    };
  },
  'a file': async () => {
    const chatId = await createChat(user.client, agentId);
    return {
      store: async () => uploadFile(cut, chatId),
      outcome: async () => query('select status from chat_files where chat_id = $1', [chatId]),
      once: [{ status: 'ready' }],
    };
  },
  'a document': async () => {
    const path = `/api/knowledge-bases/${await added('/api/knowledge-bases', { name: 'Handbook' })}`;
    let id = '';
    return {
      store: async () => {
        id = await added(`${path}/documents`, { text: 'The medlar is late.' }, cut);
      },
      outcome: async () => read(`${path}/documents/${id}`),
      once: expect.objectContaining({ status: 'ready', passages: 1 }),
    };
  },
  'the choice of a model for vectors': async () => {
    const other = await registerUser(instance.api.url);
    await createProvider(other.client, vectors.url);
    const base = { name: 'Handbook', embedding_model: 'off' };
    const path = `/api/knowledge-bases/${await added('/api/knowledge-bases', base, other.client)}`;
    await added(`${path}/documents`, { text: 'The medlar is late.' }, other.client);
    const shown = async () => (await other.client.get<Fields>(path)).json;
    await waitUntil('the document to be read', async () => ((await shown())['passages'] === 1 ? true : undefined));
    return {
      store: async () =>
        new ApiClient(cutOff.url, other.accessToken).patch(path, { embedding_model: 'openai-compatible/small' }),
      outcome: async () => [await shown(), vectors.texts.length],
      once: [expect.objectContaining({ embedding: expect.objectContaining({ status: 'ready', passages: 1 }) }), 1],
    };
  },
  'a repository': async () => {
    let id = '';
    return {
      store: async () => {
        id = await addProject(cut);
      },
      outcome: async () => read(`/api/projects/${id}`),
      // The host has no files.
      once: expect.objectContaining({ repo_status: 'failed', repo_error: expect.stringContaining('status 404') }),
    };
  },
  'a sync with a code host': async () => {
    const path = `/api/projects/${await isRead(await addProject(user.client))}`;
    let id = '';
    return {
      store: async () => {
        id = await added(`${path}/sync-issues`, {}, cut);
      },
      outcome: async () => read(`${path}/syncs/${id}`),
      once: expect.objectContaining({ status: 'completed', created: 1, updated: 0 }),
    };
  },
  'a change that a code host is told': async () => {
    const projectId = await isRead(await addProject(user.client, { sync_direction: 'both' }));
    const id = await isSynced(projectId);
    return {
      store: async () => cut.patch(`/api/issues/${id}`, { title: 'Another title' }),
      outcome: async () => host.writes.filter((write) => write.includes('Another title')).length,
      once: 1,
    };
  },
  'the end of a grant of an integration': async () => {
    const credentials = { client_id: 'a-client', client_secret: 'a-sample-secret' };
    const id = await added('/api/integrations', { kind: 'gitlab', name: 'Code', base_url: receiver.url, credentials });
    const grant = sealGrant(new SecretBox([TEST_SECRET_KEY]), { orgId: user.orgId, id }, { accessToken: 'a-token' });
    await query('update integrations set granted = $2 where id = $1', [id, grant]);
    return {
      store: async () => cut.delete(`/api/integrations/${id}`),
      outcome: async () => receiver.seen.filter(({ url }) => url === '/oauth/revoke').length,
      once: 1,
    };
  },
  'a request to fetch an index': async () => {
    const version = async () => (await read('/api/marketplace/helper'))['version'];
    index.offer(await sampleItem({ slug: 'helper' }));
    await user.client.post('/api/marketplace-indexes/refresh');
    await waitUntil('the item', async () => ((await version()) === '1.0.0' ? true : undefined));
    return {
      store: async () => {
        index.offer(await sampleItem({ slug: 'helper', version: '1.1.0' }));
        // As if the last time were longer ago.
        await query("update marketplace_indexes set checked_at = now() - interval '1 hour'");
        await cut.post('/api/marketplace-indexes/refresh');
      },
      outcome: version,
      once: '1.1.0',
    };
  },
  'the deletion of an organization': async () => {
    const other = await registerUser(instance.api.url);
    return {
      store: async () => new ApiClient(cutOff.url, other.accessToken).delete(`/api/orgs/${other.orgId}`),
      outcome: async () => query('select from orgs where id = $1', [other.orgId]),
      once: [],
    };
  },
  'the removal of the files of a deleted organization': async () => {
    const other = await registerUser(instance.api.url);
    const folder = join(instance.workspaces, other.orgId);
    mkdirSync(folder);
    return {
      store: async () => {
        await new ApiClient(cutOff.url, other.accessToken).delete(`/api/orgs/${other.orgId}`);
        // As its workflow does before that is lost.
        await purgeOrg(cutOff.database, other.orgId, () => undefined);
      },
      outcome: async () => existsSync(folder),
      once: false,
    };
  },
};

/** By what a worker stores that is cut off from Temporal then: how turns end, which wait for the model until then. */
const LOST_BY_WORKER: typeof LOST_STARTS = {
  'the end of the turn of a run': async () => {
    const id = await addWorkflow({ steps: [{ name: 'hold', prompt_template: '[[hold step after 1 chunk]]' }, FIND] });
    await user.client.post(`/api/workflows/${id}/trigger`, {});
    const [run] = await read<{ chat_id: string }[]>(`/api/workflows/${id}/runs`);
    const chatId = await begun(String(run?.chat_id));
    return {
      store: async () => endTurn(chatId, 'step'),
      outcome: async () => runsOf(id),
      once: [{ ...COMPLETED, turns: 2 }],
    };
  },
  'the end of an attempt at a task that another one waits for': async () => {
    const chatId = await createChat(user.client, agentId);
    const fields = { chat_id: chatId, assigned_agent_id: agentId };
    const first = await added('/api/tasks', { ...fields, title: '[[hold task after 1 chunk]]' });
    const second = await added('/api/tasks', { ...fields, title: '[[say found]]', depends_on: [first] });
    const subChatId = await waitUntil('the task to be worked on', async () => {
      const [task] = await query('select sub_chat_id as "chatId" from tasks where id = $1', [first]);
      return typeof task?.['chatId'] === 'string' ? task['chatId'] : undefined;
    });
    await begun(subChatId);
    return {
      store: async () => endTurn(subChatId, 'task'),
      outcome: async () => read(`/api/tasks/${second}`),
      once: expect.objectContaining({ status: 'completed', attempts: 1, output: 'found' }),
    };
  },
  'the end of a turn that a webhook is told of': async () => {
    const chatId = await createChat(user.client, agentId);
    await user.client.patch(`/api/chats/${chatId}/webhook`, { url: `${receiver.url}/${chatId}` });
    await say(user.client, chatId, '[[hold told after 1 chunk]]');
    await begun(chatId);
    return {
      store: async () => endTurn(chatId, 'told'),
      outcome: async () => receiver.seen.filter(({ url }) => url.endsWith(chatId)).length,
      once: 1,
    };
  },
};

/** Lets it be a while ago that rows were stored. */
async function age(): Promise<void> {
  const columns = {
    workflow_runs: 'updated_at',
    tasks: 'due_at',
    webhook_targets: 'due_at',
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

interface LostStartsOptions {
  /** Starts an installation; only one with the given indexes can fetch an index. */
  readonly start: (marketplaceIndexes: string) => Promise<TestInstance>;
  /** The kinds of starts that are lost; all unless given. */
  readonly names?: readonly string[];
}

const ALL = [...Object.keys(LOST_STARTS), ...Object.keys(LOST_BY_WORKER)];

/** Loses starts, and has a worker and other scans find them. */
export function describeLostStarts({ start, names = ALL }: LostStartsOptions): void {
  let lost: ReadonlyMap<string, LostStart>;

  async function untilDone(name: string): Promise<void> {
    const { outcome, once } = lost.get(name) as LostStart;
    let last: unknown;
    await waitUntil('it to be done', async () => {
      last = await outcome();
      return isEqual(last, once) ? true : undefined;
    }).catch(() => undefined);
    expect(last).toEqual(once);
  }

  describe('what was stored, and never begun, is done once by a worker that starts, beside other scans:', () => {
    beforeAll(async () => {
      [host, index, receiver, vectors] = await Promise.all([
        HostServer.start('github'),
        IndexServer.start(),
        OutsideServer.start(),
        EmbeddingServer.start(),
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
      const ofApi = await prepare(LOST_STARTS, names);
      const ofWorker = await prepare(LOST_BY_WORKER, names);
      valve.shut();
      for (const { store } of ofWorker.values()) await store();
      await instance.killWorkers();
      for (const { store } of ofApi.values()) await store();
      lost = new Map([...ofApi, ...ofWorker]);
      const done = new Set<string>();
      for (const [name, { outcome, once }] of lost) if (isEqual(await outcome(), once)) done.add(name);
      expect(done).toEqual(new Set());
      await age();
      // It scans when it starts, which is what begins a file.
      await instance.addWorker();
      await untilDone('a file');
      const scan = async () => recoverDueWork({ database: instance.api.database, client: temporal });
      await Promise.all([scan(), scan()]);
      await scan();
      await temporal.schedule
        .getHandle(housekeepingId({ interval: 'minute' }))
        .trigger(ScheduleOverlapPolicy.ALLOW_ALL);
    });
    afterAll(async () => {
      await cutOff.close();
      await connection.close();
      await instance.close();
      valve.close();
      for (const server of [host, index, receiver, vectors.outside]) server.close();
    });

    test.each(names)('%s', untilDone);

    test('and not again by another scan, which finds nothing', async () => {
      const started: string[] = [];
      // Others may have left work for servers that are gone.
      const take = async (_type: string, { workflowId }: { workflowId: string }) => {
        if (workflowId.includes(user.orgId)) started.push(workflowId);
      };
      const client = {
        withDeadline: async (_: number, work: () => unknown) => work(),
        workflow: { start: take, signalWithStart: take },
      } as unknown as Client;
      await waitUntil('a scan to find nothing', async () => {
        started.length = 0;
        await recoverDueWork({ database: cutOff.database, client });
        return started.length === 0 ? true : undefined;
      });
      for (const [name, { outcome, once }] of lost) expect([name, await outcome()]).toEqual([name, once]);
    });
  });
}

async function prepare(starts: typeof LOST_STARTS, names: readonly string[]): Promise<Map<string, LostStart>> {
  const prepared = new Map<string, LostStart>();
  for (const [name, preparation] of Object.entries(starts))
    if (names.includes(name)) prepared.set(name, await preparation());
  return prepared;
}

function isEqual(value: unknown, expected: unknown): boolean {
  try {
    expect(value).toEqual(expected);
    return true;
  } catch {
    return false;
  }
}
