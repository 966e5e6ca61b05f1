import { expect, test } from '@jest/globals';
import type { Client, ScheduleOptions } from '@temporalio/client';
import { createAgent, registerUser } from '../test/support/factories.ts';
import { serveTestApi } from '../test/support/serve-test-api.ts';
import { recoverSchedules } from './index.ts';

// It looks at the schedules of all organizations.
const served = serveTestApi({ isOwn: true });

test('a schedule that cannot be recovered keeps no other waiting, and is told of', async () => {
  const { database } = served.api;
  const user = await registerUser(served.url);
  const agent_id = await createAgent(user.client);
  const fields = { name: 'Report', agent_id, prompt: 'Report.', interval_minutes: 10 };
  const ids: string[] = [];
  for (let each = 0; each < 3; each += 1)
    ids.push((await user.client.post<{ id: string }>('/api/schedules', fields)).json.id);
  const create = async ({ scheduleId }: ScheduleOptions) => {
    if (scheduleId.endsWith(ids[0] ?? '')) throw new Error('away');
  };
  const client = { schedule: { create }, withDeadline: async (_: number, work: () => Promise<unknown>) => work() };
  await expect(recoverSchedules({ database, temporal: client as unknown as Client })).rejects.toThrow(
    '1 schedules could not be recovered',
  );
  const { rows } = await database.system.query('select id from schedules where applied_version = version order by id');
  expect(rows.map(({ id }) => id)).toEqual(ids.slice(1));
});
