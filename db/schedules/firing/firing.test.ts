import { beforeEach, describe, expect, test } from '@jest/globals';
import { parseOrgLimits } from '../../../domain/orgs.ts';
import { createAgent, registerUser, type TestUser } from '../../../test/support/factories.ts';
import { registerColleague } from '../../../test/support/people.ts';
import { serveTestApi } from '../../../test/support/serve-test-api.ts';
import { fireSchedule } from './fire-schedule.ts';
import { scheduleRows } from './applied.ts';

interface Shown {
  readonly id: string;
  readonly is_active: boolean;
  readonly pause_reason: string | null;
  readonly next_run_at: string | null;
}

interface Run {
  readonly id: string;
  readonly chat_id: string | null;
  readonly user_id: string;
  readonly status: string;
  readonly slot: string;
  readonly error: string | null;
}

// Without an engine: runs are stored, and nothing begins or answers them.
const served = serveTestApi();
const LIMITS = parseOrgLimits('');
let user: TestUser;
let agentId: string;
beforeEach(async () => {
  user = await registerUser(served.url);
  agentId = await createAgent(user.client);
});

async function add(fields: Record<string, unknown> = {}): Promise<Shown> {
  const schedule = { name: 'Report', agent_id: agentId, prompt: 'Report.', interval_minutes: 10, ...fields };
  return (await user.client.post<Shown>('/api/schedules', schedule)).json;
}

const shown = async (id: string) => (await user.client.get<Shown>(`/api/schedules/${id}`)).json;
const runsOf = async (id: string) => (await user.client.get<Run[]>(`/api/schedules/${id}/runs`)).json;
const query = async (text: string, values: unknown[]) => served.api.database.system.query(text, values);
const decide = async (scheduleId: string, now: Date, limits = LIMITS) =>
  fireSchedule(served.api.database, { orgId: user.orgId, scheduleId }, now, limits);
const fire = async (scheduleId: string, now: Date, limits = LIMITS) =>
  (await decide(scheduleId, now, limits))?.begun ?? [];

const MINUTE = 60_000;
const firstSlot = ({ next_run_at }: Shown) => new Date(next_run_at ?? '').getTime();
/** The time a second after a slot of a schedule that runs every ten minutes, counted from 0. */
const after = (schedule: Shown, slot: number) => new Date(firstSlot(schedule) + slot * 10 * MINUTE + 1_000);

/** Fires all slots of a schedule that are due, one after the other. */
async function fireAll(schedule: Shown, now: Date): Promise<readonly Run[]> {
  for (let next = schedule.next_run_at; next !== null && new Date(next) <= now;) {
    await fire(schedule.id, now);
    next = (await shown(schedule.id)).next_run_at;
  }
  return runsOf(schedule.id);
}

async function end(run: Run | undefined, status: string): Promise<void> {
  await query('update workflow_runs set status = $2, completed_at = now() where id = $1', [run?.id, status]);
}

describe('a slot', () => {
  test('that is due starts one run, however many processes fire it at once', async () => {
    const schedule = await add();
    const now = after(schedule, 0);
    await Promise.all(Array.from({ length: 8 }, async () => fire(schedule.id, now)));
    const runs = await runsOf(schedule.id);
    expect(runs).toMatchObject([
      { status: 'running', triggered_by: 'cron', slot: schedule.next_run_at, user_id: user.id, prompt: 'Report.' },
    ]);
    expect((await shown(schedule.id)).next_run_at).toBe(new Date(firstSlot(schedule) + 10 * MINUTE).toISOString());
    const { status } = await user.client.get(`/api/chats/${runs[0]?.chat_id}`);
    expect(status).toBe(200);
  });

  test('starts nothing before it is due, nor once the schedule was deactivated, nor after its deletion', async () => {
    const schedule = await add();
    await fire(schedule.id, new Date(firstSlot(schedule) - 1));
    await user.client.post(`/api/schedules/${schedule.id}/deactivate`);
    await fire(schedule.id, after(schedule, 0));
    expect(await runsOf(schedule.id)).toEqual([]);
    await user.client.delete(`/api/schedules/${schedule.id}`);
    expect(await decide(schedule.id, after(schedule, 0))).toBeUndefined();
  });

  test('fires with the same delay each time, within the jitter', async () => {
    const schedule = await add({ jitter_seconds: 500 });
    const next = (await decide(schedule.id, new Date(0)))?.next;
    expect(next?.slot.toISOString()).toBe(schedule.next_run_at);
    const delay = (next?.dueAt.getTime() ?? 0) - firstSlot(schedule);
    expect(delay).toBeGreaterThanOrEqual(0);
    expect(delay).toBeLessThan(500_000);
    await fire(schedule.id, new Date(firstSlot(schedule) + delay - 1));
    expect(await runsOf(schedule.id)).toEqual([]);
    await fire(schedule.id, new Date(firstSlot(schedule) + delay));
    expect(await runsOf(schedule.id)).toHaveLength(1);
  });

  test('that is due stays so when the jitter changes, and is gone when the times do', async () => {
    const [delayed, moved] = [await add(), await add()];
    const past = new Date(Date.now() - 5_000);
    const makeDue = 'update schedules set next_run_at = $2 where id = any($1)';
    await query(makeDue, [[delayed.id, moved.id], past]);
    await user.client.patch(`/api/schedules/${delayed.id}`, { jitter_seconds: 1 });
    await user.client.patch(`/api/schedules/${moved.id}`, { interval_minutes: 30 });
    for (const { id } of [delayed, moved]) await fire(id, new Date());
    expect(await runsOf(delayed.id)).toMatchObject([{ slot: past.toISOString() }]);
    expect(await runsOf(moved.id)).toEqual([]);
  });

  test('that is due stays so when a schedule that is active is activated', async () => {
    const schedule = await add();
    const past = new Date(Date.now() - 5_000);
    await query('update schedules set next_run_at = $2 where id = $1', [schedule.id, past]);
    const { json } = await user.client.post<Shown>(`/api/schedules/${schedule.id}/activate`);
    expect(json.next_run_at).toBe(past.toISOString());
    await fire(schedule.id, new Date());
    expect(await runsOf(schedule.id)).toMatchObject([{ slot: past.toISOString() }]);
  });

  test('that was missed is caught up while it is no older than catchup_minutes, and skipped when it is', async () => {
    const schedule = await add({ catchup_minutes: 25, overlap: 'allow_all' });
    const runs = await fireAll(schedule, after(schedule, 5));
    const slots = [5, 4, 3].map((slot) => new Date(firstSlot(schedule) + slot * 10 * MINUTE).toISOString());
    expect(runs.map(({ slot }) => slot)).toEqual(slots);
  });
});

describe('while a run is open', () => {
  test('skip starts no other, and the next slot after its end does', async () => {
    const schedule = await add();
    expect(await fireAll(schedule, after(schedule, 0))).toHaveLength(1);
    const [open] = await fireAll(await shown(schedule.id), after(schedule, 2));
    expect(await runsOf(schedule.id)).toHaveLength(1);
    await end(open, 'completed');
    expect(await fireAll(await shown(schedule.id), after(schedule, 3))).toHaveLength(2);
  });

  test('buffer_one lets one wait for it, and no more', async () => {
    const schedule = await add({ overlap: 'buffer_one' });
    for (const slot of [0, 1, 2]) await fireAll(await shown(schedule.id), after(schedule, slot));
    const { rows } = await query('select status from workflow_runs where schedule_id = $1 order by id', [schedule.id]);
    expect(rows).toEqual([{ status: 'running' }, { status: 'queued' }]);
  });

  test('allow_all runs the next beside it', async () => {
    const schedule = await add({ overlap: 'allow_all' });
    for (const slot of [0, 1, 2]) await fireAll(await shown(schedule.id), after(schedule, slot));
    expect(await runsOf(schedule.id)).toHaveLength(3);
  });

  test('cancel_other asks it to stop and starts the next', async () => {
    const schedule = await add({ overlap: 'cancel_other' });
    for (const slot of [0, 1]) await fireAll(await shown(schedule.id), after(schedule, slot));
    const asked = 'select interrupt_requested_at is not null as "isAsked" from workflow_runs';
    const { rows } = await query(`${asked} where schedule_id = $1 order by id`, [schedule.id]);
    expect(rows).toEqual([{ isAsked: true }, { isAsked: false }]);
  });
});

describe('a schedule', () => {
  test('ends after max_runs, and with the last slot before end_at, and says so', async () => {
    const limited = await add({ max_runs: 2, overlap: 'allow_all', catchup_minutes: 100 });
    expect(await fireAll(limited, after(limited, 5))).toHaveLength(2);
    expect(await shown(limited.id)).toMatchObject({
      is_active: false,
      next_run_at: null,
      pause_reason: 'It has started 2 runs, as max_runs says.',
    });
    const end_at = new Date(Date.now() + 15 * MINUTE).toISOString();
    const ending = await add({ end_at });
    expect(await fireAll(ending, after(ending, 0))).toHaveLength(1);
    expect(await shown(ending.id)).toMatchObject({ is_active: false, pause_reason: 'It has no further times.' });
    const again = await user.client.post(`/api/schedules/${limited.id}/activate`);
    expect(again.status).toBe(422);
  });

  test('pauses with the reason when its owner or its agent can do it no more, and stores no run', async () => {
    const member = await registerColleague(served.api, user, 'member');
    const fields = { name: 'Mine', agent_id: agentId, prompt: 'x', interval_minutes: 10 };
    const { json: left } = await member.client.post<Shown>('/api/schedules', fields);
    const orphan = await add();
    const agentless = await add({ agent_id: await createAgent(user.client) });
    await query('delete from memberships where user_id = $1', [member.id]);
    await query('update schedules set owner_id = null where id = $1', [orphan.id]);
    const { rows } = await query('select agent_id from schedules where id = $1', [agentless.id]);
    await user.client.delete(`/api/agents/${rows[0]?.agent_id}`);
    for (const schedule of [left, orphan, agentless]) await fire(schedule.id, after(schedule, 0));
    expect(await shown(left.id)).toMatchObject({
      is_active: false,
      pause_reason: 'Its owner is no longer a member of the organization.',
    });
    expect(await shown(orphan.id)).toMatchObject({ pause_reason: 'The account of its owner was deleted.' });
    expect(await shown(agentless.id)).toMatchObject({ pause_reason: 'Its agent was deleted.' });
    for (const { id } of [left, orphan, agentless]) expect(await runsOf(id)).toEqual([]);
  });

  test('has a failed run where the organization has no room, and pauses with it when it is set to', async () => {
    const [first, second] = [await add(), await add({ pause_on_failure: true })];
    const full = parseOrgLimits('work_bytes=1');
    // What is there already fills it.
    await user.client.post(`/api/schedules/${(await add()).id}/trigger`);
    await fire(first.id, after(first, 0), full);
    await fire(second.id, after(second, 0), full);
    const error = expect.stringContaining('runs of workflows');
    expect(await runsOf(first.id)).toMatchObject([{ status: 'failed', chat_id: null, error, output: '' }]);
    expect(await shown(first.id)).toMatchObject({ is_active: true });
    expect(await shown(second.id)).toMatchObject({ is_active: false, pause_reason: 'A run failed.' });
  });
});

test('a Temporal Schedule has its payer as its fairness key, also when nobody has looked the payer up before', async () => {
  const { id: scheduleId } = await add();
  const { orgId, id: ownerId } = user;
  const payers = { known: () => ({ ownerId: orgId, orgId }), of: async () => ({ ownerId, orgId }) };
  const { tenant } = served.api.database;
  expect(await scheduleRows({ ...served.api.database, tenant, payers }).read({ orgId, scheduleId })).toMatchObject({
    fairnessKey: ownerId,
  });
});
