import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import type { Database } from '../../db/core/index.ts';
import { connectDatabase } from '../../db/orm/index.ts';
import { FileStores } from '../../files/index.ts';
import { ChatFixture } from '../../test/support/chat-fixture.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-database.ts';
import { housekeepingJobs, type JobDeps } from './jobs.ts';
import { runJobs } from './run-housekeeping.ts';

let place: TestDatabase;
let database: Database;
let deps: JobDeps;
const purged: string[] = [];
const failing = new Set<string>();
async function* noSchedules(): AsyncGenerator<never> {}

beforeAll(async () => {
  place = await createTestDatabase();
  database = await connectDatabase({ url: place.url, poolSize: 4 });
  deps = {
    database,
    files: await FileStores.open(database, undefined),
    workspaceRoot: '/no-such-workspaces',
    deletedChatDays: 30,
    projectLogDays: 365,
    installationId: '',
    temporalSchedules: { list: noSchedules, find: async () => undefined, remove: async () => undefined },
    resetFailing: async () => undefined,
    startOrgPurge: async (orgId) => {
      purged.push(orgId);
      if (failing.has(orgId)) throw new Error('the engine is busy');
    },
  };
});
afterAll(async () => {
  await database.close();
  await place.drop();
});

test('the purge of an organization is started, and the later jobs run, although that of another fails', async () => {
  const orgIds = [(await ChatFixture.create(database)).place.orgId, (await ChatFixture.create(database)).place.orgId];
  for (const [index, orgId] of orgIds.entries()) {
    await database.system.query("update orgs set deleted_at = now() - $2 * interval '1 minute' where id = $1", [
      orgId,
      10 - index,
    ]);
  }
  failing.add(orgIds[0] ?? '');
  const told: unknown[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void told.push(JSON.parse(line)) });
  const jobs = housekeepingJobs(deps);
  const names = Object.keys(jobs.minute);
  expect(names.indexOf('purge deleted organizations')).toBeLessThan(names.length - 1);
  await runJobs(jobs.minute, log, new AbortController().signal);
  expect(purged).toEqual(orgIds);
  expect(told).toMatchObject([{ job: 'purge deleted organizations', err: { message: 'the engine is busy' } }]);
});

test('rows are removed batch after batch', async () => {
  await database.system.query(
    `insert into known_addresses (user_id, digest, last_used_at)
      select (select id from users limit 1), convert_to(place::text, 'UTF8'), now() - interval '10 years'
      from generate_series(1, 2_500) place`,
  );
  await housekeepingJobs(deps).hour['remove expired credentials']?.();
  const { rows } = await database.system.query('select count(*)::int as left from known_addresses');
  expect(rows).toEqual([{ left: 0 }]);
});
