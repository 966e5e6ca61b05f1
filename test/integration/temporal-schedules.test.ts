import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  Client,
  Connection,
  type ScheduleDescription,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import { readInstallation } from '../../db/installation.ts';
import { jitteredTime } from '../../domain/schedules/timing.ts';
import { recoverDueWork } from '../../worker/recover-due-work.ts';
import { housekeepingId } from '../../workflows/housekeeping/contract.ts';
import { listTemporalSchedules, startScheduleSlot } from '../../workflows/schedules/client.ts';
import { scheduleSlotId, scheduleSlotsId, temporalScheduleId } from '../../workflows/schedules/contract.ts';
import { createAgent, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { casesOf, isLong } from '../support/in-length.ts';
import { actAsOperator, OPERATOR_ACTIONS } from '../support/operator.ts';
import { startOwnInstance, startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';

interface Shown {
  readonly id: string;
  readonly is_active: boolean;
  readonly pause_reason: string | null;
  readonly next_run_at: string;
}

interface Run {
  readonly id: string;
  readonly slot: string;
  readonly status: string;
}

let instance: TestInstance;
let connection: Connection;
let temporal: Client;
let user: TestUser;
let agentId: string;

/** Adds a schedule, and waits until Temporal has been told of it. */
async function add(fields: Record<string, unknown> = {}): Promise<Shown> {
  const schedule = { name: 'Report', agent_id: agentId, prompt: '[[say done]]', interval_minutes: 60, ...fields };
  const { json } = await user.client.post<Shown>('/api/schedules', schedule);
  await applied(json);
  return json;
}

/** Adds an active workflow with times, and waits until Temporal has been told of them. */
async function addScheduledWorkflow(): Promise<{ readonly workflow: Shown; readonly schedule: Shown }> {
  const fields = { name: 'Report', agent_id: agentId, trigger_type: 'schedule', prompt_template: '[[say done]]' };
  const { json: workflow } = await user.client.post<Shown>('/api/workflows', { ...fields, interval_minutes: 60 });
  await user.client.post(`/api/workflows/${workflow.id}/activate`);
  const { rows } = await query('select id from schedules where workflow_id = $1', [workflow.id]);
  const schedule = { ...workflow, id: rows[0]?.id as string };
  await applied(schedule);
  return { workflow, schedule };
}

async function applied({ id }: Shown): Promise<void> {
  await waitUntil('Temporal to be told', async () => {
    const { rows } = await query('select version = applied_version as "isApplied" from schedules where id = $1', [id]);
    return rows[0]?.isApplied === true ? true : undefined;
  });
}

const key = ({ id: scheduleId }: Shown) => ({ orgId: user.orgId, scheduleId });
const handleOf = (schedule: Shown) => temporal.schedule.getHandle(temporalScheduleId(key(schedule)));
const described = async (schedule: Shown) => handleOf(schedule).describe();
const shown = async ({ id }: Shown) => (await user.client.get<Shown>(`/api/schedules/${id}`)).json;
const runsOf = async ({ id }: Shown) => (await user.client.get<Run[]>(`/api/schedules/${id}/runs`)).json;
const query = async (text: string, values: unknown[]) => instance.api.database.system.query(text, values);
async function recover(): Promise<void> {
  const { database } = instance.api;
  await recoverDueWork({ database, client: temporal });
}

/** Returns the Temporal Schedule of a schedule; `undefined` without one. */
async function find(schedule: Shown): Promise<ScheduleDescription | undefined> {
  return described(schedule).catch((error: unknown) => {
    if (error instanceof ScheduleNotFoundError) return undefined;
    throw error;
  });
}

/** Waits until a list, which the nightly comparison goes by, shows the only schedule like that, or none. */
async function listed(...arePaused: readonly boolean[]): Promise<void> {
  await waitUntil('a list to show it', async () => {
    const found: boolean[] = [];
    for await (const { isPaused } of listTemporalSchedules(temporal, user.orgId)) found.push(isPaused);
    return isDeepStrictEqual(found, arePaused) || undefined;
  });
}

/** Starts the nightly housekeeping, even while an earlier one goes on. */
async function startNight(): Promise<void> {
  await temporal.schedule.getHandle(housekeepingId({ interval: 'night' })).trigger(ScheduleOverlapPolicy.ALLOW_ALL);
}

/** Lets the next slot of a schedule have passed a minute ago, without Temporal knowing of it. */
async function miss(schedule: Shown): Promise<string> {
  const slot = new Date(Math.floor(Date.now() / 1_000) * 1_000 - 60_000);
  await query('update schedules set next_run_at = $2 where id = $1', [schedule.id, slot]);
  return slot.toISOString();
}

/** Returns the ids of the workflows of slots that have completed. */
async function endedSlots(schedule: Shown): Promise<Set<string>> {
  const query = `WorkflowId STARTS_WITH '${scheduleSlotsId(key(schedule))}'`;
  const ended = new Set<string>();
  for await (const { workflowId, status } of temporal.workflow.list({ query }))
    if (status.name === 'COMPLETED') ended.add(workflowId);
  return ended;
}

const completed = async (schedule: Shown) =>
  waitUntil('a run to end', async () => (await runsOf(schedule)).find(({ status }) => status === 'completed'));

/** Chooses the implementation of Schedules that the server is going over to. */
const temporalConfig = {
  'history.enableCHASMSchedulerCreation': 'true',
  'history.chasmSchedulerCreationRolloutPercent': '100',
};

beforeAll(async () => {
  instance = await (isLong ? startOwnInstance({ temporalConfig }) : startTestInstance());
  connection = await Connection.connect({ address: instance.temporalAddress });
  temporal = new Client({ connection });
});
afterAll(async () => {
  await connection.close();
  await instance.close();
});
beforeEach(async () => {
  user = await registerUser(instance.api.url);
  await createProvider(user.client, instance.model.url);
  agentId = await createAgent(user.client);
});

describe('the Temporal Schedule of a schedule', () => {
  test('has its times, starts whatever is open, and follows changes', async () => {
    const schedule = await add({ cron_expr: '0 9 13 * fri', interval_minutes: null, timezone: 'europe/berlin' });
    const { spec, policies, state, action, info, memo } = await described(schedule);
    expect(spec.calendars).toHaveLength(2);
    expect(spec).toMatchObject({ timezone: 'Europe/Berlin' });
    expect(policies).toMatchObject({ overlap: 'ALLOW_ALL', catchupWindow: 600_000 });
    expect(state).toMatchObject({ paused: false });
    const { installationId } = await readInstallation(instance.api.database);
    expect(memo).toEqual({ installationId });
    expect(action).toMatchObject({ workflowType: 'scheduleSlot', priority: { fairnessKey: user.id } });
    expect(info.nextActionTimes[0]?.toISOString()).toBe(schedule.next_run_at);
    const { json } = await user.client.patch<Shown>(`/api/schedules/${schedule.id}`, { interval_minutes: 30 });
    await applied(json);
    const changed = await described(schedule);
    expect([changed.spec.calendars, changed.spec.intervals]).toMatchObject([[], [{ every: 1_800_000 }]]);
    expect(changed.info.nextActionTimes[0]?.toISOString()).toBe(json.next_run_at);
  });

  test('is paused while the schedule is not active, and gone with it', async () => {
    const schedule = await add();
    await applied((await user.client.post<Shown>(`/api/schedules/${schedule.id}/deactivate`)).json);
    expect((await described(schedule)).state).toMatchObject({ paused: true, note: 'The schedule is not active.' });
    await applied((await user.client.post<Shown>(`/api/schedules/${schedule.id}/activate`)).json);
    expect((await described(schedule)).state).toMatchObject({ paused: false });
    await user.client.delete(`/api/schedules/${schedule.id}`);
    await waitUntil('it to be gone', async () => ((await find(schedule)) === undefined ? true : undefined));
  });

  test('is made of the row again when somebody has edited it, or lets it go on', async () => {
    const schedule = await add();
    await handleOf(schedule).update((found) => ({ ...found, spec: { intervals: [{ every: '1 day' }] } }));
    await applied((await user.client.patch<Shown>(`/api/schedules/${schedule.id}`, { interval_minutes: 30 })).json);
    expect((await described(schedule)).spec.intervals).toMatchObject([{ every: 1_800_000 }]);
    await applied((await user.client.post<Shown>(`/api/schedules/${schedule.id}/deactivate`)).json);
    await listed(true);
    await handleOf(schedule).unpause();
    await listed(false);
    await query("update schedules set updated_at = now() - interval '11 minutes' where id = $1", [schedule.id]);
    await startNight();
    await waitUntil('it to be paused again', async () => {
      await recover();
      return (await described(schedule)).state.paused ? true : undefined;
    });
    expect(await shown(schedule)).toMatchObject({ is_active: false, pause_reason: null });
  });

  test('is removed by its next slot when the process died that was to remove it', async () => {
    const schedule = await add();
    await query('delete from schedules where id = $1', [schedule.id]);
    // As if the time of its next slot had come.
    await handleOf(schedule).update((found) => ({ ...found, spec: { intervals: [{ every: '1 second' }] } }));
    await waitUntil('it to be gone', async () => ((await find(schedule)) === undefined ? true : undefined));
  });

  test('is made again by the nightly comparison when somebody has removed it', async () => {
    const schedule = await add();
    await handleOf(schedule).delete();
    await listed();
    await query("update schedules set updated_at = now() - interval '11 minutes' where id = $1", [schedule.id]);
    await startNight();
    await waitUntil('it to be missed', async () => {
      await recover();
      return (await find(schedule)) === undefined ? undefined : true;
    });
  });

  test('is gone with the organization', async () => {
    const schedule = await add();
    expect((await user.client.delete(`/api/orgs/${user.orgId}`)).status).toBe(204);
    await waitUntil('it to be gone', async () => ((await find(schedule)) === undefined ? true : undefined));
  });

  test('is gone with the workflow whose times it has', async () => {
    const { workflow, schedule } = await addScheduledWorkflow();
    await user.client.delete(`/api/workflows/${workflow.id}`);
    await waitUntil('it to be gone', async () => ((await find(schedule)) === undefined ? true : undefined));
  });

  test('is that of the times of a workflow, too', async () => {
    const { workflow, schedule } = await addScheduledWorkflow();
    // Who applies the row as it was before its activation may be the last to write, and then does it again.
    await waitUntil('it to be active', async () => !(await described(schedule)).state.paused || undefined);
    await user.client.patch(`/api/workflows/${workflow.id}`, { interval_minutes: null, trigger_type: 'manual' });
    await waitUntil('it to be gone', async () => ((await find(schedule)) === undefined ? true : undefined));
  });
});

describe('a slot', () => {
  test('that Temporal does not know of, as its store was lost, fires once, and the next ones do again', async () => {
    const schedule = await add();
    await handleOf(schedule).delete();
    const slot = await miss(schedule);
    await Promise.all([recover(), recover()]);
    await completed(schedule);
    await recover();
    expect(await runsOf(schedule)).toMatchObject([{ slot }]);
    expect((await described(schedule)).info.nextActionTimes[0]?.toISOString()).toBe(
      (await shown(schedule)).next_run_at,
    );
  });

  test('fires when its process died before it could tell Temporal, or its rows are of the version before', async () => {
    const schedule = await add();
    await handleOf(schedule).delete();
    await query('update schedules set applied_version = 0 where id = $1', [schedule.id]);
    await recover();
    await applied(schedule);
    expect(await find(schedule)).toBeDefined();
  });

  test.each(casesOf(OPERATOR_ACTIONS))('that somebody has %s in Temporal fires all the same, once', async (action) => {
    const schedule = await add({ jitter_seconds: 3_600 });
    // As if the time of its next slot had come, of which the jitter is long enough for the operator.
    const jitterOf = (slot: number) => jitteredTime(schedule.id, new Date(slot), 3_600).getTime() - slot;
    let due = Math.ceil(Date.now() / 1_000) * 1_000;
    while (jitterOf(due) < 1_800_000) due -= 1_000;
    await query('update schedules set next_run_at = $2 where id = $1', [schedule.id, new Date(due)]);
    await startScheduleSlot(temporal, key(schedule), due);
    const handle = temporal.workflow.getHandle(scheduleSlotId(key(schedule), due));
    await waitUntil('its workflow to wait', async () => {
      const { raw } = await handle.describe().catch(() => ({ raw: undefined }));
      return Number(raw?.workflowExecutionInfo?.historyLength ?? 0) > 4 ? true : undefined;
    });
    await actAsOperator(temporal, handle, action);
    const slot = new Date(due - 2 * 3_600_000).toISOString();
    await query('update schedules set next_run_at = $2, catchup_minutes = 600 where id = $1', [schedule.id, slot]);
    await recover();
    await completed(schedule);
    expect((await runsOf(schedule)).filter((run) => run.slot === slot)).toHaveLength(1);
  });

  test('that somebody backfills in Temporal starts nothing', async () => {
    const schedule = await add();
    await handleOf(schedule).trigger();
    // Temporal keeps only the last of the requests that reach a Schedule before its workflow has read them.
    await waitUntil('the triggered workflow to end', async () => (await endedSlots(schedule)).size > 0 || undefined);
    const next = Date.parse(schedule.next_run_at);
    const slots = Array.from({ length: 24 }, (_, at) => next + at * 3_600_000);
    await handleOf(schedule).backfill({ start: new Date(next - 1), end: new Date(Math.max(...slots)) });
    await waitUntil('the workflows of the slots to end', async () => {
      const ended = await endedSlots(schedule);
      return slots.every((slot) => ended.has(scheduleSlotId(key(schedule), slot))) || undefined;
    });
    expect(await runsOf(schedule)).toEqual([]);
    expect(await shown(schedule)).toMatchObject({ is_active: true, next_run_at: schedule.next_run_at });
  });
});

test('a schedule that somebody has paused in Temporal pauses, says so, and goes on once it is activated', async () => {
  const schedule = await add();
  await handleOf(schedule).pause('holidays');
  await miss(schedule);
  await recover();
  expect(await shown(schedule)).toMatchObject({ is_active: false, pause_reason: 'Paused in Temporal.' });
  expect(await runsOf(schedule)).toEqual([]);
  await applied((await user.client.post<Shown>(`/api/schedules/${schedule.id}/activate`)).json);
  expect((await described(schedule)).state).toMatchObject({ paused: false });
});
