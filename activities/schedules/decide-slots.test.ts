import { beforeEach, expect, test } from '@jest/globals';
import type { RunRef } from '../../db/agent-workflows/index.ts';
import type { ScheduleKey } from '../../domain/core/due-work.ts';
import { parseOrgLimits } from '../../domain/orgs/index.ts';
import { createAgent, registerUser, type TestUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { createDecideSlots } from './index.ts';

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

/** Lets the next slot of a schedule be so many seconds from now, in the past when it is negative, and others follow. */
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

test('goes on later when a schedule has missed many slots', async () => {
  const schedule = await add({ interval_minutes: 1, overlap: 'allow_all', catchup_minutes: 60 });
  await slotIn(schedule, -40 * 60);
  expect(await decide(schedule, new Date())).toEqual({ hasEnded: false, waitMs: 0 });
  expect(begun).toHaveLength(20);
});

test('waits for the jitter of a slot that has come', async () => {
  const schedule = await add({ jitter_seconds: 3_600 });
  const slot = await slotIn(schedule, -1);
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
