import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type Client, ScheduleNotFoundError, type ScheduleOptions } from '@temporalio/client';
import type { Database } from '../db/core/database.ts';
import { type Installation, readInstallation } from '../db/installation.ts';
import { HOUSEKEEPING } from '../workflows/housekeeping/contract.ts';
import { createAgent, registerUser } from '../test/support/factories.ts';
import { startTestApi, type TestApi } from '../test/support/test-api.ts';
import { createTestDatabase, type TestDatabase } from '../test/support/test-database.ts';
import { watchNamespace } from './watch-namespace.ts';

let testDatabase: TestDatabase;
let api: TestApi;
let installation: Installation;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  api = await startTestApi({ databaseUrl: testDatabase.url, temporalAddress: '127.0.0.1:1' });
  installation = await readInstallation(api.database);
  const user = await registerUser(api.url);
  const fields = { name: 'Report', agent_id: await createAgent(user.client), prompt: 'Go.', interval_minutes: 10 };
  await user.client.post('/api/schedules', fields);
});
afterAll(async () => {
  await api.close();
  await testDatabase.drop();
});
beforeEach(async () => {
  await api.database.system.query('update installation set namespace_id = null');
});

/** A Temporal server with one namespace, whose Schedules can be deleted. */
class Server {
  readonly schedules = new Map<string, ScheduleOptions>();
  namespaceId = 'one';

  get deps() {
    const getHandle = (id: string) => ({
      describe: async () => {
        const found = this.schedules.get(id);
        if (found === undefined) throw new ScheduleNotFoundError('gone', id);
        return found;
      },
      update: async () => undefined,
    });
    const create = async (options: ScheduleOptions) => void this.schedules.set(options.scheduleId, options);
    const client = {
      options: { namespace: 'default' },
      withDeadline: async <T>(_deadline: number, work: () => Promise<T>) => work(),
      schedule: { getHandle, create },
      workflowService: { describeNamespace: async () => ({ namespaceInfo: { id: this.namespaceId } }) },
    } as unknown as Client;
    return { database: api.database, client };
  }
}

/** Tells Temporal of all schedules. */
const apply = async () => api.database.system.query('update schedules set applied_version = version');

/** Returns whether Temporal counts as knowing of the schedules. */
async function isApplied(): Promise<boolean> {
  const { rows } = await api.database.system.query('select from schedules where applied_version = version');
  return rows.length > 0;
}

/** The database, as it is when it goes away while schedules are forgotten. */
function failing(): Database {
  const query = async (given: string) => {
    if (JSON.stringify(given).includes('applied_version')) throw new Error('away');
    return api.database.system.query(given);
  };
  return Object.create(api.database, { system: { value: { query } } }) as Database;
}

/** Makes what watches a namespace, in one that was told everything. */
async function watch(server = new Server()) {
  const { run } = watchNamespace(installation);
  await run(server.deps);
  await apply();
  await run(server.deps);
  expect(await isApplied()).toBe(true);
  return { server, run: async (database = api.database) => run({ ...server.deps, database }) };
}

test('a namespace in step with the rows is not filled again when another worker starts', async () => {
  const { server } = await watch();
  expect([...server.schedules.values()].map(({ action }) => action)).toEqual(
    [...server.schedules.keys()].map(() => expect.objectContaining({ workflowType: HOUSEKEEPING })),
  );
  await watchNamespace(installation).run(server.deps);
  expect(await isApplied()).toBe(true);
});

test('a namespace with another id is filled from the rows, once, whichever worker notices it', async () => {
  const { server, run } = await watch();
  const other = watchNamespace(installation);
  await other.run(server.deps);
  server.schedules.clear();
  server.namespaceId = 'two';
  await run();
  expect(await isApplied()).toBe(false);
  await apply();
  await run();
  await other.run(server.deps);
  expect(await isApplied()).toBe(true);
});

test('a namespace that lacks a Schedule of the housekeeping is filled from the rows', async () => {
  const { server, run } = await watch();
  const [, second = ''] = server.schedules.keys();
  server.schedules.delete(second);
  await run();
  expect([await isApplied(), server.schedules.has(second)]).toEqual([false, true]);
});

test('a namespace that another database has claimed in the meantime is refused, and not filled', async () => {
  const { server, run } = await watch();
  const [claim = ''] = server.schedules.keys();
  const memo = { ...installation, databaseId: 'of a copy' };
  server.schedules.set(claim, { ...server.schedules.get(claim), memo } as ScheduleOptions);
  server.namespaceId = 'two';
  await expect(run()).rejects.toThrow('belongs to another database of this installation');
  expect(await isApplied()).toBe(true);
});

test.each(['it has another id', 'it lacks a Schedule'])(
  'a namespace that could not be told everything is told with the next run, of another worker too (%s)',
  async (why) => {
    const { server, run } = await watch();
    const other = watchNamespace(installation);
    await other.run(server.deps);
    if (why === 'it has another id') server.namespaceId = 'two';
    server.schedules.clear();
    await expect(run(failing())).rejects.toThrow('away');
    await (why === 'it has another id' ? run() : other.run(server.deps));
    expect(await isApplied()).toBe(false);
  },
);

test('a worker that uses another namespace than the newest of its database leaves all as it is, and says so', async () => {
  const { run } = await watch();
  await watchNamespace(installation).run(Object.assign(new Server(), { namespaceId: 'elsewhere' }).deps);
  await apply();
  await expect(run()).rejects.toThrow('TEMPORAL_NAMESPACE must be the same for all');
  expect(await isApplied()).toBe(true);
});
