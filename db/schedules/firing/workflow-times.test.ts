import { beforeEach, describe, expect, test } from '@jest/globals';
import { parseOrgLimits } from '../../../domain/orgs.ts';
import { createAgent, registerUser, type TestUser } from '../../../test/support/factories.ts';
import { registerColleague } from '../../../test/support/people.ts';
import { serveTestApi } from '../../../test/support/serve-test-api.ts';
import { readSubject } from '../../webhooks/next-delivery.ts';
import { fireSchedule } from './fire-schedule.ts';

interface Shown {
  readonly id: string;
  readonly owner_id: string;
  readonly next_run_at: string | null;
  readonly pause_reason: string | null;
}

interface Run {
  readonly id: string;
  readonly status: string;
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

const TIMED = {
  name: 'Report',
  trigger_type: 'schedule',
  prompt_template: 'Report on {{ topic }}.',
  interval_minutes: 10,
};

async function add(fields: Record<string, unknown> = {}, activates = true): Promise<Shown> {
  const { json } = await user.client.post<Shown>('/api/workflows', { agent_id: agentId, ...TIMED, ...fields });
  return activates ? (await user.client.post<Shown>(`/api/workflows/${json.id}/activate`)).json : json;
}

const shown = async ({ id }: Shown) => (await user.client.get<Shown>(`/api/workflows/${id}`)).json;
const change = async ({ id }: Shown, changes: object) => user.client.patch<Shown>(`/api/workflows/${id}`, changes);
const runsOf = async ({ id }: Shown) => (await user.client.get<Run[]>(`/api/workflows/${id}/runs`)).json;
const query = async (text: string, values: unknown[]) => served.api.database.system.query(text, values);

/** Fires the next time of a workflow, a second after it. */
async function fire(workflow: Shown): Promise<readonly string[]> {
  const { rows } = await query('select id, next_run_at from schedules where workflow_id = $1', [workflow.id]);
  const now = new Date(new Date(rows[0]?.next_run_at).getTime() + 1_000);
  const schedule = { orgId: user.orgId, scheduleId: rows[0]?.id };
  return (await fireSchedule(served.api.database, schedule, now, LIMITS))?.begun ?? [];
}

describe('a workflow with times', () => {
  test('starts runs while it is active, and shows when', async () => {
    const inactive = await add({}, false);
    expect(inactive).toMatchObject({ interval_minutes: 10, cron_expr: null, timezone: 'UTC', next_run_at: null });
    const { json: active } = await user.client.post<Shown>(`/api/workflows/${inactive.id}/activate`);
    expect(Date.parse(active.next_run_at ?? '')).toBeGreaterThan(Date.now());
    const begun = await fire(active);
    expect(begun).toHaveLength(1);
    expect(await runsOf(active)).toMatchObject([
      {
        id: begun[0],
        status: 'queued',
        triggered_by: 'schedule',
        user_id: user.id,
        prompt: 'Report on .',
        missing_variables: ['topic'],
      },
    ]);
    expect((await user.client.get<Shown[]>('/api/workflows')).json[0]).toMatchObject({
      next_run_at: new Date(Date.parse(active.next_run_at ?? '') + 600_000).toISOString(),
    });
    await user.client.post(`/api/workflows/${active.id}/deactivate`);
    expect(await shown(active)).toMatchObject({ next_run_at: null });
    expect((await user.client.get('/api/schedules')).json).toEqual([]);
  });

  test('keeps a time that is due when it is activated again, and its owner', async () => {
    const workflow = await add();
    const past = new Date(Date.now() - 5_000);
    await query('update schedules set next_run_at = $2 where workflow_id = $1', [workflow.id, past]);
    const colleague = await registerColleague(served.api, user, 'member');
    const { json } = await colleague.client.post<Shown>(`/api/workflows/${workflow.id}/activate`);
    expect(json).toMatchObject({ next_run_at: past.toISOString(), owner_id: user.id });
    expect(await fire(workflow)).toHaveLength(1);
  });

  test('starts runs of which an address is notified as runs of the workflow alone', async () => {
    const [runId] = await fire(await add());
    const { database } = served.api;
    const delivery = { messageId: null, runId: runId ?? '', scheduleId: null, taskId: null, report: null };
    const subject = await readSubject(database, user.orgId, delivery, 10);
    expect(subject).toMatchObject({ id: runId, workflowName: 'Report', scheduleId: null, scheduleName: null });
  });

  test('starts none while it is made for something else, and none without times', async () => {
    const workflow = await add();
    expect((await change(workflow, { trigger_type: 'webhook' })).json.next_run_at).toBeNull();
    expect((await change(workflow, { trigger_type: 'schedule' })).json.next_run_at).not.toBeNull();
    const { json } = await change(workflow, { interval_minutes: null, trigger_type: 'manual' });
    expect(json).toMatchObject({ interval_minutes: null, next_run_at: null });
    const { rows } = await query('select from schedules where workflow_id = $1', [workflow.id]);
    expect(rows).toEqual([]);
  });

  test('takes other times, of which a cron line replaces an interval', async () => {
    const workflow = await add();
    const { json } = await change(workflow, { cron_expr: '0 9 1 1 *', timezone: 'Europe/Berlin' });
    expect(json).toMatchObject({ cron_expr: '0 9 1 1 *', interval_minutes: null, timezone: 'Europe/Berlin' });
    expect(json.next_run_at).toMatch(/-01-01T08:00:00/);
    for (const wrong of [{ cron_expr: '0 0 30 2 *' }, { timezone: 'Mars/Base' }, { interval_minutes: 0 }])
      expect((await change(workflow, wrong)).status).toBe(422);
    expect((await change(workflow, { cron_expr: '@daily', interval_minutes: 5 })).status).toBe(422);
    expect((await change(workflow, { overlap: 'buffer_one' })).status).toBe(422);
    expect(await shown(workflow)).toMatchObject({ cron_expr: '0 9 1 1 *' });
  });

  test('starts no second run while one is open, unless it may', async () => {
    const workflow = await add();
    expect(await fire(workflow)).toHaveLength(1);
    expect(await fire(workflow)).toHaveLength(0);
    await change(workflow, { overlap: 'allow_all', max_concurrent_runs: 1 });
    expect(await fire(workflow)).toHaveLength(1);
    const { rows } = await query('select status from workflow_runs where workflow_id = $1 order by id', [workflow.id]);
    expect(rows).toEqual([{ status: 'running' }, { status: 'queued' }]);
  });

  test('has a failed run for a time at which its prompt is empty', async () => {
    const workflow = await add({ prompt_template: '{{ nothing }}' });
    expect(await fire(workflow)).toEqual([]);
    expect(await runsOf(workflow)).toMatchObject([
      { status: 'failed', error: 'With these variables the prompt is empty.', triggered_by: 'schedule' },
    ]);
  });

  test('pauses when the agent of one of its steps is gone, or may not be used, rather than fail at every time', async () => {
    const [first, second] = [await createAgent(user.client), await createAgent(user.client)];
    const steps = [
      { name: 'a', prompt_template: 'x', agent_id: first },
      { name: 'b', prompt_template: 'y', agent_id: second },
    ];
    const workflow = await add({ prompt_template: '', steps });
    // Its own answers no step.
    await user.client.delete(`/api/agents/${agentId}`);
    expect(await fire(workflow)).toHaveLength(1);
    await query('update workflow_runs set completed_at = now() where workflow_id = $1', [workflow.id]);
    await user.client.delete(`/api/agents/${second}`);
    expect(await fire(workflow)).toEqual([]);
    expect(await shown(workflow)).toMatchObject({ next_run_at: null, pause_reason: 'Its agent was deleted.' });
    expect(await runsOf(workflow)).toHaveLength(1);
  });

  test('pauses while the agent of one of its steps is inactive, and resumes once both were activated', async () => {
    const second = await createAgent(user.client);
    const steps = [
      { name: 'a', prompt_template: 'x' },
      { name: 'b', prompt_template: 'y', agent_id: second },
    ];
    const workflow = await add({ prompt_template: '', steps });
    await user.client.patch(`/api/agents/${second}`, { is_active: false });
    expect(await fire(workflow)).toEqual([]);
    expect(await shown(workflow)).toMatchObject({ next_run_at: null, pause_reason: 'Its agent is inactive.' });
    expect(await runsOf(workflow)).toEqual([]);
    await user.client.patch(`/api/agents/${second}`, { is_active: true });
    const { json } = await user.client.post<Shown>(`/api/workflows/${workflow.id}/activate`);
    expect(json).toMatchObject({ pause_reason: null, next_run_at: expect.any(String) });
    expect(await fire(workflow)).toHaveLength(1);
  });

  test('resumes when is_active is set although it is, once failures have paused it', async () => {
    const workflow = await add();
    await user.client.patch(`/api/agents/${agentId}`, { is_active: false });
    expect(await fire(workflow)).toEqual([]);
    await user.client.patch(`/api/agents/${agentId}`, { is_active: true });
    expect((await shown(workflow)).pause_reason).toBe('Its agent is inactive.');
    const { json } = await change(workflow, { is_active: true });
    expect(json).toMatchObject({ pause_reason: null, next_run_at: expect.any(String) });
    expect((await change(workflow, { is_active: true })).json).toEqual(json);
    expect(await fire(workflow)).toHaveLength(1);
  });

  test('rejects a time zone that does not exist, also before it has times', async () => {
    const workflow = await add({ interval_minutes: null }, false);
    expect((await change(workflow, { timezone: 'Mars/Base' })).status).toBe(422);
    const fields = { ...TIMED, agent_id: agentId, interval_minutes: null, timezone: 'Mars/Base' };
    expect((await user.client.post('/api/workflows', fields)).status).toBe(422);
  });

  test('runs in the name of whoever changed its times last, and pauses when they may not run it', async () => {
    const workflow = await add();
    const colleague = await registerColleague(served.api, user, 'admin');
    await colleague.client.patch(`/api/workflows/${workflow.id}`, { interval_minutes: 10 });
    expect((await shown(workflow)).owner_id).toBe(user.id);
    await colleague.client.patch(`/api/workflows/${workflow.id}`, { interval_minutes: 20 });
    expect((await shown(workflow)).owner_id).toBe(colleague.id);
    await query('delete from memberships where org_id = $1 and user_id = $2', [user.orgId, colleague.id]);
    expect(await fire(workflow)).toEqual([]);
    const paused = { next_run_at: null, pause_reason: expect.stringContaining('no longer a member') };
    expect(await shown(workflow)).toMatchObject(paused);
    expect((await change(workflow, { name: 'Weekly' })).json).toMatchObject(paused);
    const { json } = await user.client.post<Shown>(`/api/workflows/${workflow.id}/activate`);
    expect(json).toMatchObject({ owner_id: user.id, pause_reason: null, next_run_at: expect.any(String) });
  });

  test('pauses when its owner lacks the permission, which it calls as the console does', async () => {
    const colleague = await registerColleague(served.api, user, 'admin');
    const workflow = await add();
    await colleague.client.patch(`/api/workflows/${workflow.id}`, { interval_minutes: 20 });
    await query("update memberships set role = 'viewer' where org_id = $1 and user_id = $2", [
      user.orgId,
      colleague.id,
    ]);
    expect(await fire(workflow)).toEqual([]);
    const reason = 'Its owner may not run schedules any more: the permission “Schedules: view and change” is missing.';
    expect(await shown(workflow)).toMatchObject({ next_run_at: null, pause_reason: reason });
  });
});
