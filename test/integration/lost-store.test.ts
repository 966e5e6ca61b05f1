import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Client, Connection, ScheduleNotFoundError } from '@temporalio/client';
import { readInstallation } from '../../db/installation.ts';
import { recoverDueWork } from '../../worker/recover-due-work.ts';
import { watchNamespace } from '../../worker/watch-namespace.ts';
import { isTemporalAway } from '../../workflows/core/client.ts';
import { temporalScheduleId } from '../../workflows/schedules/contract.ts';
import { createAgent } from '../support/factories.ts';
import { isLong } from '../support/in-length.ts';
import { type OwnInstance, startOwnInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

interface Schedule {
  readonly id: string;
  readonly next_run_at: string;
}

interface Run {
  readonly id: string;
  readonly status: string;
  readonly output: string | null;
  readonly slot?: string | null;
}

let instance: OwnInstance;
let connection: Connection;
let temporal: Client;
let chat: OpenChat;
let agentId: string;
const api = () => chat.user.client;
const query = async (text: string, values: unknown[]) => instance.api.database.system.query(text, values);

async function addSchedule(): Promise<Schedule> {
  const fields = { name: 'Report', agent_id: agentId, prompt: '[[say reported]]', interval_minutes: 60 };
  const { json } = await api().post<Schedule>('/api/schedules', fields);
  await waitUntil('Temporal to be told', async () => ((await isKnown(json)) ? true : undefined));
  return json;
}

async function isKnown({ id: scheduleId }: Schedule): Promise<boolean> {
  const { orgId } = chat.user;
  const handle = temporal.schedule.getHandle(temporalScheduleId({ orgId, scheduleId }));
  return handle.describe().then(
    ({ info }) => info.nextActionTimes.length > 0,
    (error: unknown) => {
      if (error instanceof ScheduleNotFoundError) return false;
      throw error;
    },
  );
}

/** Starts a run of a workflow with a step, and another one that needs an approval. Returns how to read its runs. */
async function startRun(prompt: string): Promise<() => Promise<readonly Run[]>> {
  const steps = [
    { name: 'find', prompt_template: prompt },
    { name: 'send', prompt_template: '[[say sent {{ steps.find.output }}]]', approval: true },
  ];
  const { json } = await api().post<{ id: string }>('/api/workflows', { name: 'Send', agent_id: agentId, steps });
  await api().post(`/api/workflows/${json.id}/trigger`, {});
  return async () => (await api().get<Run[]>(`/api/workflows/${json.id}/runs`)).json;
}

async function approveAll(count: number): Promise<void> {
  const pending = await waitUntil(`${count} approvals to wait`, async () => {
    const { json } = await api().get<{ id: string }[]>('/api/approvals?status=pending');
    return json.length === count ? json : undefined;
  });
  for (const { id } of pending) await api().post(`/api/approvals/${id}/decision`, { approve: true });
}

/** Repeats what each worker does every minute until something is the case, however busy Temporal is. */
async function recoverUntil(what: string, probe: () => Promise<boolean>): Promise<void> {
  const { database } = instance.api;
  const deps = { database, client: temporal };
  const { run: watch } = watchNamespace(await readInstallation(database));
  await waitUntil(what, async () => {
    try {
      await watch(deps);
      await recoverDueWork(deps);
      return (await probe()) ? true : undefined;
    } catch (error) {
      if (!isTemporalAway(error)) throw error;
      return undefined;
    }
  });
}

const isAnyWorker = !isLong;

beforeAll(async () => {
  instance = await startOwnInstance();
  connection = await Connection.connect({ address: instance.temporalAddress });
  temporal = new Client({ connection });
});
afterAll(async () => {
  await connection.close();
  await instance.close();
});

beforeEach(async () => {
  const tools = ['file_write'];
  chat = await OpenChat.create(instance, { agent: { tools, requires_approval: { file_write: 'always' } } });
  agentId = await createAgent(chat.user.client, { name: 'Reporter' });
});

const when = isAnyWorker ? 'while a worker runs' : 'while none runs';
test(`all that is open goes on, once, when Temporal loses its store ${when}`, async () => {
  const gate = `gate ${when}`.replaceAll(' ', '-');
  const blocked = await (await OpenChat.create(instance)).another();
  await blocked.post({ content: `[[hold ${gate} after 1 chunk]] [[say held words]]`, client_message_id: 'held' });
  await blocked.post({ content: '[[say queued words]]', client_message_id: 'queued' });
  await chat.post({ content: '[[tool file_write {"path": "a.txt", "content": "a"}]] [[then]] [[say written]]' });
  const runsOfBlocked = await startRun(`[[hold ${gate} after 1 chunk]] [[say slow news]]`);
  const runsOfWaiting = await startRun('[[say news]]');
  await waitUntil('what waits', async () => {
    const { json } = await api().get<unknown[]>('/api/approvals?status=pending');
    return json.length === 2 ? true : undefined;
  });
  const [missed, coming] = [await addSchedule(), await addSchedule()];

  if (!isAnyWorker) await instance.killWorkers();
  await instance.loseTemporalStore();
  if (!isAnyWorker) await instance.addWorker();
  const slot = new Date(Math.floor(Date.now() / 1_000) * 1_000 - 60_000);
  await query('update schedules set next_run_at = $2 where id = $1', [missed.id, slot]);
  const runsOfMissed = async () => (await api().get<Run[]>(`/api/schedules/${missed.id}/runs`)).json;
  await recoverUntil('the missed slot to fire, and Temporal to know the other', async () => {
    const [run] = await runsOfMissed();
    return run?.status === 'completed' && (await isKnown(coming)) && (await isKnown(missed));
  });
  instance.model.release(gate);
  await approveAll(3);

  await waitUntil('the runs to end', async () => {
    const runs = [...(await runsOfBlocked()), ...(await runsOfWaiting())];
    return runs.every(({ status }) => status === 'completed') ? true : undefined;
  });
  expect(await runsOfBlocked()).toMatchObject([{ output: 'sent slow news' }]);
  expect(await runsOfWaiting()).toMatchObject([{ output: 'sent news' }]);
  expect(await runsOfMissed()).toMatchObject([{ slot: slot.toISOString() }]);
  expect((await api().get<Run[]>(`/api/schedules/${coming.id}/runs`)).json).toEqual([]);
  expect((await chat.waitForAnswers(1)).map(({ content }) => content)).toEqual(['written']);
  expect((await blocked.waitForAnswers(2)).map(({ content }) => content)).toEqual(['held words', 'queued words']);
  blocked.close();
  chat.close();
});
