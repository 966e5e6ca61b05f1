import { beforeEach, expect, test } from '@jest/globals';
import { type Client, ScheduleNotFoundError, type ScheduleOptions } from '@temporalio/client';
import { createAgent, registerUser, type TestUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { scheduleRows } from '../../db/schedules/firing/applied.ts';
import { applySchedule } from './client.ts';

interface Shown {
  readonly id: string;
  readonly is_active: boolean;
  readonly next_run_at: string | null;
}

const served = serveTestApi();
let user: TestUser;
let schedule: Shown;
let sent: ScheduleOptions[];
beforeEach(async () => {
  user = await registerUser(served.url);
  const agent_id = await createAgent(user.client);
  const fields = { name: 'Report', agent_id, prompt: 'Report.', interval_minutes: 10 };
  schedule = (await user.client.post<Shown>('/api/schedules', fields)).json;
  sent = [];
});

/** A client of a Temporal server without Schedules, to which one can be added. */
function clientThat(create: (options: ScheduleOptions) => Promise<void>): Client {
  const getHandle = (id: string) => ({
    update: async () => {
      throw new ScheduleNotFoundError('gone', id);
    },
  });
  const client = {
    schedule: { create, getHandle },
    withDeadline: async (_: number, work: () => Promise<unknown>) => work(),
  };
  return client as unknown as Client;
}

const apply = async (create: (options: ScheduleOptions) => Promise<void>) =>
  applySchedule(clientThat(create), scheduleRows(served.api.database), {
    orgId: user.orgId,
    scheduleId: schedule.id,
  });
const versions = async () => {
  const { rows } = await served.api.database.system.query(
    'select version, applied_version as applied from schedules where id = $1',
    [schedule.id],
  );
  return rows[0];
};

test('a schedule that changes while it is applied to Temporal is applied again', async () => {
  await apply(async (options) => {
    sent.push(options);
    if (sent.length === 1) await user.client.patch(`/api/schedules/${schedule.id}`, { interval_minutes: 20 });
  });
  expect(sent.map(({ spec }) => spec.intervals?.[0]?.every)).toEqual([600_000, 1_200_000]);
  expect(await versions()).toEqual({ version: 2, applied: 2 });
});

test('a schedule whose times Temporal refuses pauses and says why, and is not applied again before it changes', async () => {
  await apply(async (options) => {
    sent.push(options);
    throw new TypeError('unknown time zone');
  });
  const { json } = await user.client.get<Shown>(`/api/schedules/${schedule.id}`);
  const pause_reason = 'Temporal refuses its times: unknown time zone';
  expect(json).toMatchObject({ is_active: false, next_run_at: null, pause_reason });
  expect(sent.map(({ state }) => state?.paused)).toEqual([false, true]);
  expect(await versions()).toEqual({ version: 2, applied: 2 });
});

test('a schedule whose times are refused pauses also when its Temporal Schedule is gone', async () => {
  await apply(async () => undefined);
  await user.client.patch(`/api/schedules/${schedule.id}`, { interval_minutes: 20 });
  await apply(async () => {
    throw new TypeError('unknown time zone');
  });
  const { json } = await user.client.get<Shown>(`/api/schedules/${schedule.id}`);
  expect(json).toMatchObject({ is_active: false, pause_reason: 'Temporal refuses its times: unknown time zone' });
});

test('a schedule that could not be applied to Temporal stays to be applied, and changes of its runs need not be', async () => {
  await expect(
    apply(async () => {
      throw new Error('away');
    }),
  ).rejects.toThrow('away');
  expect(await versions()).toEqual({ version: 1, applied: 0 });
  await apply(async () => undefined);
  await user.client.patch(`/api/schedules/${schedule.id}`, { prompt: 'Sales.', name: 'Sales', overlap: 'allow_all' });
  expect(await versions()).toEqual({ version: 1, applied: 1 });
});
