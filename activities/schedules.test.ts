import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { RunRef } from '../db/agent-workflows/runs/run-state.ts';
import { readInstallation } from '../db/installation.ts';
import type { ScheduleKey } from '../domain/core/due-work.ts';
import { parseOrgLimits } from '../domain/orgs.ts';
import { jitteredTime } from '../domain/schedules/timing.ts';
import { createAgent, registerUser, type TestUser } from '../test/support/factories.ts';
import { serveTestApi } from '../test/support/serve-test-api.ts';
import type { TemporalSchedule } from '../workflows/schedules/contract.ts';
import { compareSchedules, createDecideSlots, removeSchedulesOf } from './schedules.ts';

describe('compare schedules', () => {
  // It looks at the schedules of all organizations.
  const served = serveTestApi({ isOwn: true });

  type Stored = TemporalSchedule & { readonly createdAt: Date };

  const OLD = new Date(Date.now() - 11 * 60_000);

  /** The Temporal Schedules that there are; those that are not listed yet are found all the same. */
  let stored: Map<string, Stored & { readonly isListed: boolean }>;

  let installationId: string;
  let user: TestUser;

  beforeEach(async () => {
    await served.api.database.system.query('delete from schedules');
    stored = new Map();
    ({ installationId } = await readInstallation(served.api.database));
    user = await registerUser(served.url);
  });

  const deps = () => ({
    database: served.api.database,
    installationId,
    temporalSchedules: {
      async *list(orgId?: string) {
        for (const each of stored.values())
          if (each.isListed && (orgId === undefined || each.orgId === orgId)) yield each;
      },
      find: async ({ scheduleId }: ScheduleKey) => stored.get(scheduleId),
      remove: async ({ scheduleId }: ScheduleKey) => void stored.delete(scheduleId),
    },
  });

  /** Stores a Temporal Schedule, of this installation and of long ago unless said otherwise. */
  function store({ orgId = user.orgId, ...fields }: Partial<Stored & { isListed: boolean }> = {}): string {
    const scheduleId = fields.scheduleId ?? randomUUID();
    const usual = { isPaused: false, createdAt: OLD, isListed: true, installationId };
    stored.set(scheduleId, { ...usual, ...fields, orgId, scheduleId });
    return scheduleId;
  }

  /** Adds a schedule of which Temporal was told long ago. */
  async function add(fields: Record<string, unknown> = {}): Promise<string> {
    const agent_id = await createAgent(user.client);
    const body = { name: 'Report', agent_id, prompt: 'Report.', interval_minutes: 10, ...fields };
    const { id } = (await user.client.post<{ id: string }>('/api/schedules', body)).json;
    await changedAt(id, OLD);
    return id;
  }

  const changedAt = async (id: string, at: Date) =>
    served.api.database.system.query('update schedules set applied_version = version, updated_at = $2 where id = $1', [
      id,
      at,
    ]);

  async function applied(): Promise<readonly string[]> {
    const { rows } = await served.api.database.system.query<{ id: string }>(
      'select id from schedules where applied_version = version',
    );
    return rows.map(({ id }) => id);
  }

  test('Temporal Schedules without a row are removed, more than a batch', async () => {
    const scheduleId = await add();
    store({ scheduleId });
    for (let each = 0; each < 1_001; each += 1) store();
    await compareSchedules(deps());
    expect([...stored.keys()]).toEqual([scheduleId]);
    expect(await applied()).toEqual([scheduleId]);
  });

  test('those that are young, of another installation, or not there any more are left alone', async () => {
    const left = [store({ createdAt: new Date() }), store({ installationId: randomUUID() })];
    left.push(store({ installationId: undefined }));
    await compareSchedules(deps());
    expect([...stored.keys()]).toEqual(left);
  });

  test('schedules are applied to Temporal again when it has none, or one that is paused otherwise', async () => {
    const [present, inactive] = [await add(), await add({ is_active: false })];
    store({ scheduleId: present });
    store({ scheduleId: inactive, isPaused: true });
    // It has none.
    await add();
    store({ scheduleId: await add(), isPaused: true });
    store({ scheduleId: await add({ is_active: false }), isPaused: false });
    await compareSchedules(deps());
    expect(new Set(await applied())).toEqual(new Set([present, inactive]));
  });

  test('schedules of several organizations are compared, several pages of each', async () => {
    const missing: string[] = [];
    const present: string[] = [];
    for (const owner of [user, await registerUser(served.url)]) {
      user = owner;
      const { rows } = await served.api.database.system.query<{ id: string }>(
        `insert into schedules
        select (jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid()))).*
        from schedules s, generate_series(1, 250) where s.id = $1 returning id`,
        [await add()],
      );
      const ids = rows.map(({ id }) => id);
      missing.push(...ids.slice(0, 2));
      present.push(...ids.slice(2).map((scheduleId) => store({ scheduleId })));
    }
    await compareSchedules(deps());
    const known = new Set(await applied());
    expect([present.every((id) => known.has(id)), missing.some((id) => known.has(id))]).toEqual([true, false]);
  });

  test('what only a list says is not acted on, nor what has changed within minutes', async () => {
    const listedLate = await add();
    store({ scheduleId: listedLate, isListed: false });
    const young = await add();
    await changedAt(young, new Date());
    await compareSchedules(deps());
    expect(new Set(await applied())).toEqual(new Set([listedLate, young]));
  });

  test('all Temporal Schedules of an organization that is gone are removed, and no others', async () => {
    for (let each = 0; each < 25; each += 1) store({ createdAt: new Date() });
    const left = [store({ orgId: randomUUID() }), store({ installationId: randomUUID() })];
    await removeSchedulesOf(deps(), user.orgId);
    expect([...stored.keys()]).toEqual(left);
  });
});

describe('decide slots', () => {
  interface Shown {
    readonly id: string;
    readonly next_run_at: string;
  }

  // Without an engine: runs are stored, and nothing begins or answers them.
  const served = serveTestApi();

  let user: TestUser;
  let begun: RunRef[];
  let removed: ScheduleKey[];

  beforeEach(async () => {
    user = await registerUser(served.url);
    [begun, removed] = [[], []];
  });

  async function add(fields: Record<string, unknown> = {}): Promise<Shown> {
    const agent_id = await createAgent(user.client);
    const schedule = { name: 'Report', agent_id, prompt: 'Report.', interval_minutes: 10, ...fields };
    return (await user.client.post<Shown>('/api/schedules', schedule)).json;
  }

  /** Sets the next slot of a schedule so many seconds from now, in the past when it is negative; others follow. */
  async function slotIn({ id }: Shown, seconds: number): Promise<Date> {
    const slot = new Date((Math.floor(Date.now() / 1_000) + seconds) * 1_000);
    const text = "update schedules set next_run_at = $2, created_at = $2::timestamptz - interval '1 day' where id = $1";
    await served.api.database.system.query(text, [id, slot]);
    return slot;
  }

  const decide = async ({ id: scheduleId }: Shown, slot: Date) =>
    createDecideSlots({
      database: served.api.database,
      orgLimits: parseOrgLimits(''),
      advanceRun: async (run) => void begun.push(run),
      removeSchedule: async (key) => void removed.push(key),
    })({ orgId: user.orgId, scheduleId, slot: slot.getTime() });

  const runsOf = async ({ id }: Shown) => {
    const { json } = await user.client.get<{ id: string; slot: string }[]>(`/api/schedules/${id}/runs`);
    return json.toReversed();
  };

  test('decides all slots that are due, oldest first, and begins their runs', async () => {
    const schedule = await add({ interval_minutes: 1, overlap: 'allow_all' });
    const oldest = await slotIn(schedule, -150);
    expect(await decide(schedule, new Date())).toEqual({ hasEnded: true, waitMs: 0 });
    const runs = await runsOf(schedule);
    expect(begun).toEqual(runs.map(({ id: runId }) => ({ orgId: user.orgId, runId })));
    const slots = [0, 1, 2].map((minutes) => new Date(oldest.getTime() + minutes * 60_000).toISOString());
    expect(runs.map(({ slot }) => slot)).toEqual(slots);
  });

  test('continues later when a schedule has missed many slots', async () => {
    const schedule = await add({ interval_minutes: 1, overlap: 'allow_all', catchup_minutes: 60 });
    await slotIn(schedule, -40 * 60);
    expect(await decide(schedule, new Date())).toEqual({ hasEnded: false, waitMs: 0 });
    expect(begun).toHaveLength(20);
  });

  test('waits for the jitter of a slot that has come', async () => {
    const schedule = await add({ jitter_seconds: 3_600 });
    let slot = await slotIn(schedule, -1);
    // The jitter of a slot may be shorter than the time since the slot.
    const jitterMs = () => jitteredTime(schedule.id, slot, 3_600).getTime() - slot.getTime();
    for (let seconds = -2; jitterMs() < 1_800_000; seconds -= 1) slot = await slotIn(schedule, seconds);
    const { hasEnded, waitMs } = await decide(schedule, slot);
    expect([hasEnded, waitMs > 0, waitMs <= 3_600_000]).toEqual([false, true, true]);
    expect(await runsOf(schedule)).toEqual([]);
  });

  test('fires a slot that the clock of Temporal shows a little earlier, and none that is made to come early', async () => {
    const [near, far] = [await add(), await add()];
    await decide(near, await slotIn(near, 5));
    expect(await runsOf(near)).toHaveLength(1);
    expect(await decide(far, await slotIn(far, 60))).toEqual({ hasEnded: true, waitMs: 0 });
    expect(await runsOf(far)).toEqual([]);
  });

  test('starts nothing for a time that is no slot, or not any more', async () => {
    const schedule = await add();
    for (const slot of [new Date(), new Date(Number.NaN), new Date(schedule.next_run_at)])
      expect(await decide(schedule, slot)).toEqual({ hasEnded: true, waitMs: 0 });
    await slotIn(schedule, -1);
    await user.client.post(`/api/schedules/${schedule.id}/deactivate`);
    expect(await decide(schedule, new Date())).toEqual({ hasEnded: true, waitMs: 0 });
    expect([await runsOf(schedule), begun, removed]).toEqual([[], [], []]);
  });

  test('removes the Temporal Schedule of a schedule that is gone', async () => {
    const schedule = await add();
    await user.client.delete(`/api/schedules/${schedule.id}`);
    expect(await decide(schedule, new Date())).toEqual({ hasEnded: true, waitMs: 0 });
    expect(removed).toEqual([{ orgId: user.orgId, scheduleId: schedule.id }]);
  });
});
