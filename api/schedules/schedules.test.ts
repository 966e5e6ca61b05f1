import { beforeEach, describe, expect, test } from '@jest/globals';
import { createAgent, registerUser, type TestUser } from '../../test/support/factories.ts';
import { registerColleague } from '../../test/support/people.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

interface Shown {
  readonly id: string;
  readonly owner_id: string;
  readonly is_active: boolean;
  readonly cron_expr: string | null;
  readonly interval_minutes: number | null;
  readonly next_run_at: string | null;
  readonly last_run: { readonly id: string } | null;
}

interface Run {
  readonly id: string;
  readonly slot: string | null;
  readonly status: string;
}

interface Rejection {
  readonly detail: string | readonly { readonly loc: readonly string[]; readonly msg: string }[];
}

const atWhole = (msg: unknown) => [{ type: 'custom', loc: ['body'], msg }];

// Without an engine: runs are begun, and never answered.
const served = serveTestApi();
let user: TestUser;
let agentId: string;
beforeEach(async () => {
  user = await registerUser(served.url);
  agentId = await createAgent(user.client);
});

const fieldsWith = (fields: Record<string, unknown>) => ({
  name: 'Report',
  agent_id: agentId,
  prompt: 'Report.',
  ...fields,
});
const add = async (fields: Record<string, unknown> = { cron_expr: '0 9 * * mon' }) =>
  (await user.client.post<Shown>('/api/schedules', fieldsWith(fields))).json;
const trigger = async (id: string, headers = {}) =>
  user.client.post<{ run_id: string }>(`/api/schedules/${id}/trigger`, {}, headers);
const runs = async (id: string, query = '') => (await user.client.get<Run[]>(`/api/schedules/${id}/runs${query}`)).json;
const shown = async (id: string) => (await user.client.get<Shown>(`/api/schedules/${id}`)).json;

describe('a schedule', () => {
  test('has defaults, is active, and says when it runs next', async () => {
    const schedule = await add();
    expect(schedule).toMatchObject({
      org_id: user.orgId,
      owner_id: user.id,
      description: null,
      interval_minutes: null,
      timezone: 'UTC',
      overlap: 'skip',
      catchup_minutes: 10,
      jitter_seconds: 0,
      pause_on_failure: false,
      start_at: null,
      end_at: null,
      max_runs: null,
      keep_runs_days: 90,
      is_active: true,
      pause_reason: null,
      next_run_at: expect.stringMatching(/T09:00:00\.000Z$/),
      last_run: null,
    });
    const { json } = await user.client.get<{ times: string[] }>(`/api/schedules/${schedule.id}/next?count=3`);
    expect(json.times).toHaveLength(3);
    expect(json.times[0]).toBe(schedule.next_run_at);
    const list = await user.client.get<Shown[]>('/api/schedules');
    expect(list.json).toEqual([schedule]);
  });

  test('is not active when that is wanted, and has no next time before it is activated', async () => {
    const schedule = await add({ interval_minutes: 5, is_active: false });
    expect(schedule).toMatchObject({ is_active: false, next_run_at: null });
    const on = await user.client.post<Shown>(`/api/schedules/${schedule.id}/activate`);
    expect([on.status, on.json]).toMatchObject([200, { is_active: true, next_run_at: expect.any(String) }]);
    const off = await user.client.post<Shown>(`/api/schedules/${schedule.id}/deactivate`);
    expect(off.json).toMatchObject({ is_active: false, next_run_at: null, pause_reason: null });
    const path = `/api/schedules/${schedule.id}`;
    expect((await user.client.patch(path, { is_active: true })).json).toMatchObject({
      next_run_at: expect.any(String),
    });
    expect((await user.client.patch(path, { is_active: false })).json).toMatchObject({ next_run_at: null });
  });

  test.each([[{ agent_id: null }], [{ agent_id: undefined }]])(
    'is stored without an agent (%j), and starts runs once it has one and is activated',
    async (without) => {
      const added = await user.client.post<Shown>('/api/schedules', fieldsWith({ cron_expr: '@daily', ...without }));
      const inactive = { is_active: false, pause_reason: 'It has no agent.', next_run_at: null };
      expect([added.status, added.json]).toMatchObject([201, { agent_id: null, ...inactive }]);
      const path = `/api/schedules/${added.json.id}`;
      const now = new Date();
      const span = { from: new Date(now.getTime() - 2 * 86_400_000).toISOString(), to: now.toISOString() };
      for (const [action, body] of [['activate'], ['trigger'], ['backfill', span]] as const) {
        const { status, json } = await user.client.post<Rejection>(`${path}/${action}`, body);
        expect([status, json.detail]).toEqual([422, atWhole('The schedule has no agent; give it an agent_id first')]);
      }
      expect((await user.client.post(`${path}/deactivate`)).json).toMatchObject(inactive);
      expect(await runs(added.json.id)).toEqual([]);
      const given = await user.client.patch<Shown>(path, { agent_id: agentId });
      expect(given.json).toMatchObject({ agent_id: agentId, is_active: false, pause_reason: null });
      expect((await user.client.post(`${path}/activate`)).json).toMatchObject({ is_active: true, pause_reason: null });
      expect((await trigger(added.json.id)).status).toBe(202);
      expect((await user.client.patch(path, { agent_id: null })).json).toMatchObject(inactive);
    },
  );

  test.each<[string, Record<string, unknown>, string]>([
    ['neither a cron line nor an interval', {}, 'cron_expr'],
    ['both', { cron_expr: '@daily', interval_minutes: 5 }, 'cron_expr'],
    ['four fields', { cron_expr: '0 9 * *' }, 'cron_expr'],
    ['a minute that does not exist', { cron_expr: '60 9 * * *' }, 'cron_expr'],
    ['words', { cron_expr: 'every monday' }, 'cron_expr'],
    ['an interval of 0', { interval_minutes: 0 }, 'interval_minutes'],
    ['an interval of many years', { interval_minutes: 10_000_000 }, 'interval_minutes'],
    ['a zone that does not exist', { cron_expr: '@daily', timezone: 'Europe/Atlantis' }, 'timezone'],
    [
      'an end before its start',
      { cron_expr: '@daily', start_at: '2030-01-02T00:00:00Z', end_at: '2030-01-01T00:00:00Z' },
      'end_at',
    ],
    ['an empty prompt', { cron_expr: '@daily', prompt: ' ' }, 'prompt'],
  ])('is rejected with %s, and the field is named', async (_, fields, field) => {
    const { status, json } = await user.client.post<Rejection>('/api/schedules', fieldsWith(fields));
    expect([status, json.detail]).toMatchObject([422, [{ loc: ['body', field] }]]);
  });

  test('is rejected when none of its times lies ahead', async () => {
    const fields = fieldsWith({ cron_expr: '@daily', end_at: '2020-01-01T00:00:00Z' });
    const { status, json } = await user.client.post('/api/schedules', fields);
    expect([status, json]).toEqual([
      422,
      { detail: atWhole('The schedule would start no run: It has no further times.') },
    ]);
  });

  test('accepts an interval instead of its cron line, and keeps what is not sent', async () => {
    const schedule = await add();
    const path = `/api/schedules/${schedule.id}`;
    const { json } = await user.client.patch<Shown>(path, { interval_minutes: 30 });
    expect(json).toMatchObject({ cron_expr: null, interval_minutes: 30, name: 'Report' });
    expect(json.next_run_at).not.toBe(schedule.next_run_at);
    const back = await user.client.patch<Shown>(path, { cron_expr: '@daily', interval_minutes: null });
    expect(back.json).toMatchObject({ cron_expr: '@daily', interval_minutes: null });
    const neither = await user.client.patch<Rejection>(path, { cron_expr: null });
    expect(neither.status).toBe(422);
  });

  test('belongs to who changes what it does or when, not to who renames it', async () => {
    const colleague = await registerColleague(served.api, user, 'member');
    const { id } = await add();
    const path = `/api/schedules/${id}`;
    expect((await colleague.client.patch<Shown>(path, { name: 'Sales' })).json.owner_id).toBe(user.id);
    expect((await colleague.client.patch<Shown>(path, { prompt: 'Sales.' })).json.owner_id).toBe(colleague.id);
    expect((await user.client.patch<Shown>(path, { cron_expr: '@hourly' })).json.owner_id).toBe(user.id);
    await user.client.post(`${path}/deactivate`);
    expect((await colleague.client.post<Shown>(`${path}/activate`)).json.owner_id).toBe(colleague.id);
  });

  test('is not there for those whose groups do not allow its agent, and is without one', async () => {
    const { id } = await add();
    await trigger(id);
    const colleague = await registerColleague(served.api, user, 'member');
    const other = await createAgent(user.client);
    const group = {
      name: 'Few',
      permissions: ['schedules.manage', 'agents.view'],
      capabilities: { agent_ids: [other] },
    };
    const { json } = await user.client.post<{ id: string }>('/api/permissions/groups', group);
    await user.client.send('PUT', `/api/permissions/groups/${json.id}/members`, { user_ids: [colleague.id] });
    const open = await add({ agent_id: null, cron_expr: '@daily' });
    expect((await colleague.client.get(`/api/schedules`)).json).toEqual([open]);
    for (const path of ['', '/runs', '/next'])
      expect((await colleague.client.get(`/api/schedules/${id}${path}`)).status).toBe(404);
    expect((await colleague.client.post(`/api/schedules/${id}/trigger`)).status).toBe(404);
  });
});

describe('a run', () => {
  test('is started by hand while the schedule is not active, once for a key', async () => {
    const { id } = await add({ cron_expr: '@daily', is_active: false });
    const headers = { 'idempotency-key': 'one' };
    const [first, second] = [await trigger(id, headers), await trigger(id, headers)];
    expect([first.status, first.json]).toEqual([202, second.json]);
    await trigger(id);
    const list = await runs(id);
    expect(list).toHaveLength(2);
    const run = await user.client.get(`/api/schedules/runs/${first.json.run_id}`);
    expect([run.status, run.json]).toMatchObject([
      200,
      { schedule_id: id, status: 'running', triggered_by: 'manual', slot: null, error: null, completed_at: null },
    ]);
    expect((await shown(id)).last_run).toMatchObject({ id: list[0]?.id, status: 'running' });
  });

  test('is found by status, by what has started it, and before another', async () => {
    const { id } = await add();
    for (let each = 0; each < 3; each += 1) await trigger(id);
    const [newest, ...older] = await runs(id);
    expect(await runs(id, `?before=${newest?.id}`)).toEqual(older);
    expect(await runs(id, '?status=running&triggered_by=manual')).toHaveLength(3);
    expect(await runs(id, '?triggered_by=cron')).toEqual([]);
    expect(await runs(id, '?status=failed')).toEqual([]);
  });

  test('is not among those of workflows, and theirs are not among those of schedules', async () => {
    const { id } = await add();
    const { run_id } = (await trigger(id)).json;
    const fields = { name: 'Flow', agent_id: agentId, prompt_template: 'Go.' };
    const { json: flow } = await user.client.post<{ id: string }>('/api/workflows', fields);
    const { json } = await user.client.post<{ run_id: string }>(`/api/workflows/${flow.id}/trigger`, {});
    expect((await user.client.get(`/api/workflows/${flow.id}/runs/${run_id}`)).status).toBe(404);
    expect((await user.client.get(`/api/schedules/runs/${json.run_id}`)).status).toBe(404);
  });
});

describe('times in the past', () => {
  const DAYS = { from: '2026-11-01T00:00:00Z', to: '2026-11-03T00:00:00Z' };
  const backfill = async (id: string, span: object) =>
    user.client.post<{ created: number; skipped: number } & Rejection>(`/api/schedules/${id}/backfill`, span);

  test('are backfilled once, with both ends, and beside one another where they may overlap', async () => {
    const { id } = await add({ cron_expr: '@daily', overlap: 'allow_all' });
    const first = await backfill(id, DAYS);
    expect([first.status, first.json]).toEqual([202, { created: 3, skipped: 0 }]);
    const wider = await backfill(id, { ...DAYS, to: '2026-11-04T12:00:00Z' });
    expect(wider.json).toEqual({ created: 1, skipped: 3 });
    const slots = (await runs(id, '?triggered_by=cron')).map(({ slot }) => slot);
    expect(slots).toEqual([4, 3, 2, 1].map((day) => `2026-11-0${day}T00:00:00.000Z`));
  });

  test('are backfilled one after the other where runs must not overlap', async () => {
    const { id } = await add({ cron_expr: '@daily' });
    expect((await backfill(id, DAYS)).json).toEqual({ created: 3, skipped: 0 });
    const { rows } = await served.api.database.system.query(
      'select status from workflow_runs where schedule_id = $1 order by id',
      [id],
    );
    expect(rows).toEqual([{ status: 'running' }, { status: 'queued' }, { status: 'queued' }]);
  });

  test('are not backfilled when there are more than 100, and the answer says how many', async () => {
    const { id } = await add({ cron_expr: '@hourly' });
    const { status, json } = await backfill(id, { ...DAYS, to: '2026-11-08T00:00:00Z' });
    expect([status, json.detail]).toEqual([422, atWhole(expect.stringContaining('169'))]);
    const years = await backfill(id, { from: '2016-01-01T00:00:00Z', to: '2026-01-01T00:00:00Z' });
    expect([years.status, years.json.detail]).toEqual([422, atWhole(expect.stringContaining('more than 10000'))]);
    expect(await runs(id)).toEqual([]);
  });

  test.each([
    ['the future', { from: '2026-11-01T00:00:00Z', to: '2099-01-01T00:00:00Z' }],
    ['an end before the beginning', { from: '2026-11-03T00:00:00Z', to: '2026-11-01T00:00:00Z' }],
  ])('are not backfilled for %s', async (_, span) => {
    const { id } = await add();
    const { status, json } = await backfill(id, span);
    expect([status, json.detail]).toMatchObject([422, [{ loc: ['body', 'to'] }]]);
  });
});
