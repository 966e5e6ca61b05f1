import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection, ScheduleNotFoundError, ScheduleOverlapPolicy } from '@temporalio/client';
import { housekeepingId, INTERVALS } from '../../workflows/housekeeping/contract.ts';
import { registerUser } from '../support/factories.ts';
import { longTest } from '../support/in-length.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';

let instance: TestInstance;
let connection: Connection;
let client: Client;
beforeAll(async () => {
  instance = await startTestInstance();
  connection = await Connection.connect({ address: instance.temporalAddress });
  client = new Client({ connection });
});
afterAll(async () => {
  await connection.close();
  await instance.close();
});

const scheduleOf = (interval: (typeof INTERVALS)[number]) => client.schedule.getHandle(housekeepingId({ interval }));

async function waitUntilScheduled(): Promise<void> {
  for (const interval of INTERVALS)
    await waitUntil(`the Schedule of every ${interval}`, async () =>
      scheduleOf(interval)
        .describe()
        .catch((error: unknown) => {
          if (!(error instanceof ScheduleNotFoundError)) throw error;
          return undefined;
        }),
    );
}

test('a Schedule starts the housekeeping of each interval', async () => {
  await waitUntilScheduled();
  const { orgId } = await registerUser(instance.api.url);
  const { system } = instance.api.database;
  const { rowCount } = await system.query(
    `insert into known_addresses (user_id, digest, last_used_at)
      select user_id, 'long ago', now() - interval '10 years' from memberships where org_id = $1`,
    [orgId],
  );
  const left = async (table: string, column: string) => {
    const { rows } = await system.query(`select from ${table} where ${column}`, [orgId]);
    return rows.length;
  };
  const ofUser = `digest = 'long ago' and user_id in (select user_id from memberships where org_id = $1)`;
  expect(rowCount).toBe(1);
  await scheduleOf('hour').trigger(ScheduleOverlapPolicy.ALLOW_ALL);
  await waitUntil(
    'the address to be forgotten',
    async () => (await left('known_addresses', ofUser)) === 0 || undefined,
  );
  await system.query("update orgs set deleted_at = now() - interval '1 day' where id = $1", [orgId]);
  await scheduleOf('minute').trigger(ScheduleOverlapPolicy.ALLOW_ALL);
  await waitUntil('the organization to be removed', async () => (await left('orgs', 'id = $1')) === 0 || undefined);
});

longTest('a Schedule that was deleted is created again, and one that is paused stays so', async () => {
  await waitUntilScheduled();
  await scheduleOf('minute').delete();
  await scheduleOf('hour').pause();
  const { lastUpdatedAt: before } = (await scheduleOf('hour').describe()).info;
  await instance.killWorkers();
  await instance.addWorker();
  await waitUntilScheduled();
  const { state } = await waitUntil('the update of the other Schedule', async () => {
    const described = await scheduleOf('hour').describe();
    return described.info.lastUpdatedAt?.getTime() === before?.getTime() ? undefined : described;
  });
  expect(state.paused).toBe(true);
  await scheduleOf('hour').unpause();
});
