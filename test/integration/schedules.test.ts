import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { fireSchedule } from '../../db/schedules/firing/fire-schedule.ts';
import { parseOrgLimits } from '../../domain/orgs.ts';
import { createAgent, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { recoverRuns } from '../support/recover-due-work.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';

interface Shown {
  readonly id: string;
  readonly is_active: boolean;
  readonly pause_reason: string | null;
  readonly next_run_at: string;
}

interface Run {
  readonly id: string;
  readonly chat_id: string;
  readonly status: string;
  readonly output: string;
  readonly error: string | null;
}

let instance: TestInstance;
let user: TestUser;
let agentId: string;

beforeAll(async () => {
  instance = await startTestInstance();
});
afterAll(async () => instance.close());
beforeEach(async () => {
  user = await registerUser(instance.api.url);
  await createProvider(user.client, instance.model.url);
  agentId = await createAgent(user.client, { name: 'Worker' });
});

async function add(fields: Record<string, unknown>): Promise<Shown> {
  const schedule = { name: 'Report', agent_id: agentId, interval_minutes: 60, ...fields };
  return (await user.client.post<Shown>('/api/schedules', schedule)).json;
}

const change = async (id: string, fields: Record<string, unknown>) =>
  (await user.client.patch<Shown>(`/api/schedules/${id}`, fields)).json;
const shown = async (id: string) => (await user.client.get<Shown>(`/api/schedules/${id}`)).json;
const runsOf = async (id: string) => (await user.client.get<Run[]>(`/api/schedules/${id}/runs`)).json;
const query = async (text: string, values: unknown[]) => instance.api.database.system.query(text, values);

/**
 * Stores a schedule with a start that comes as soon as Temporal can have been told of it: again when the start was over
 * before the request was served, which leaves the slots after it.
 */
async function dueSoon(store: (start: { readonly start_at: string }) => Promise<Shown>): Promise<Shown> {
  return waitUntil('a start that is still to come', async () => {
    const start_at = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 2_000).toISOString();
    const schedule = await store({ start_at });
    return schedule.next_run_at === start_at ? schedule : undefined;
  });
}

async function reach(id: string, status: string): Promise<Run> {
  return waitUntil(`a run to be ${status}`, async () => (await runsOf(id)).find((run) => run.status === status));
}

describe('a schedule', () => {
  test('gives its agent the prompt when it is due, in a conversation of its own, and goes on', async () => {
    const prompt = '[[say all is well]] {{ not a variable }}';
    const schedule = await dueSoon(async (start) => add({ prompt, ...start }));
    const run = await reach(schedule.id, 'completed');
    expect(run).toMatchObject({ output: 'all is well', error: null, triggered_by: 'cron', user_id: user.id });
    const { json } = await user.client.get(`/api/chats/${run.chat_id}/messages`);
    expect(json).toMatchObject([
      { role: 'user', content: prompt },
      { role: 'assistant', content: 'all is well', agent_id: agentId },
    ]);
    expect(await runsOf(schedule.id)).toHaveLength(1);
    expect(await shown(schedule.id)).toMatchObject({
      is_active: true,
      next_run_at: new Date(Date.parse(schedule.next_run_at) + 3_600_000).toISOString(),
      last_run: { id: run.id, status: 'completed', completed_at: expect.any(String) },
    });
  });

  test('pauses with a failed run when it is told to', async () => {
    const failing = { prompt: '[[status 400]]', pause_on_failure: true };
    const schedule = await dueSoon(async (start) => add({ ...failing, ...start }));
    const run = await reach(schedule.id, 'failed');
    expect(run.error).toEqual(expect.any(String));
    expect(await shown(schedule.id)).toMatchObject({ is_active: false, pause_reason: 'A run failed.' });
  });

  test('pauses without a run while its agent is inactive, and goes on once both were activated', async () => {
    const schedule = await add({ prompt: '[[say back]]' });
    await user.client.patch(`/api/agents/${agentId}`, { is_active: false });
    await dueSoon(async (start) => change(schedule.id, start));
    const paused = await waitUntil('it to pause', async () => {
      const now = await shown(schedule.id);
      return now.is_active ? undefined : now;
    });
    expect(paused).toMatchObject({ pause_reason: 'Its agent is inactive.', next_run_at: null });
    expect(await runsOf(schedule.id)).toEqual([]);
    await user.client.patch(`/api/agents/${agentId}`, { is_active: true });
    const { json } = await user.client.post<Shown>(`/api/schedules/${schedule.id}/activate`);
    expect(json).toMatchObject({ is_active: true, pause_reason: null });
    await dueSoon(async (start) => change(schedule.id, start));
    expect(await reach(schedule.id, 'completed')).toMatchObject({ output: 'back' });
  });

  test('runs what is made up one after the other, in order', async () => {
    const { id } = await add({ cron_expr: '@daily', interval_minutes: null, prompt: '[[say done]]' });
    const span = { from: '2026-11-01T00:00:00Z', to: '2026-11-03T00:00:00Z' };
    await user.client.post(`/api/schedules/${id}/backfill`, span);
    await waitUntil('all runs to end', async () => {
      const runs = await runsOf(id);
      return runs.length === 3 && runs.every(({ status }) => status === 'completed') ? runs : undefined;
    });
    const { rows } = await query('select slot from workflow_runs where schedule_id = $1 order by started_at, id', [id]);
    const days = rows.map(({ slot }) => (slot as Date).toISOString().slice(0, 10));
    expect(days).toEqual(['2026-11-01', '2026-11-02', '2026-11-03']);
  });
});

describe('a run', () => {
  test('goes on when its process died after it was stored, before its turn began', async () => {
    const schedule = await add({ prompt: '[[say late]]' });
    const at = new Date(schedule.next_run_at);
    const due = { orgId: user.orgId, scheduleId: schedule.id };
    const fired = await fireSchedule(instance.api.database, due, at, parseOrgLimits(''));
    expect(fired?.begun).toHaveLength(1);
    await recoverRuns(instance);
    expect(await reach(schedule.id, 'completed')).toMatchObject({ output: 'late' });
  });

  test('that is stopped has failed, and says so', async () => {
    const { id } = await add({ prompt: '[[say so far]] [[think 60s]]' });
    const { json } = await user.client.post<{ run_id: string }>(`/api/schedules/${id}/trigger`);
    await waitUntil('its turn to begin', async () => {
      const { rows } = await query("select from turns where run_id = $1 and status = 'running'", [json.run_id]);
      return rows.length > 0 ? true : undefined;
    });
    const asked = await user.client.post(`/api/schedules/runs/${json.run_id}/interrupt`);
    expect(asked.status).toBe(200);
    expect(await reach(id, 'failed')).toMatchObject({ error: 'The run was stopped.' });
    const again = await user.client.post(`/api/schedules/runs/${json.run_id}/interrupt`);
    expect(again.status).toBe(409);
  });
});
