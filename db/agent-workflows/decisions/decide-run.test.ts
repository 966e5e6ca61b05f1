import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { noteSeen } from '../runs/run-queue.ts';
import { readRunState } from '../runs/run-state.ts';
import { registerUser, type TestUser } from '../../../test/support/factories.ts';
import { fillRoom } from '../../../test/support/full-room.ts';
import { NO_LIMITS, storeRuns } from '../../../test/support/store-runs.ts';
import { startTestApi, type TestApi } from '../../../test/support/test-api.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.ts';
import { decideRun, type RunDeps } from './decide-run.ts';

let testDatabase: TestDatabase;
let api: TestApi;
let deps: RunDeps;
let user: TestUser;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  api = await startTestApi({ databaseUrl: testDatabase.url, temporalAddress: '127.0.0.1:1' });
  deps = { database: api.database, orgLimits: NO_LIMITS, approvalWaitMs: 1_000, log: pino({ level: 'silent' }) };
});
afterAll(async () => {
  await api.close();
  await testDatabase.drop();
});
beforeEach(async () => {
  user = await registerUser(api.url);
});

const storeRun = async (): Promise<string> => (await storeRuns(api.database, user, 1))[0] ?? '';
const decide = async (runId: string) => decideRun(deps, { orgId: user.orgId, runId });

async function stateOf(runId: string) {
  const state = await readRunState(api.database, { orgId: user.orgId, runId });
  if (state === undefined) throw new Error('the run has ended');
  return state;
}

test('a run begins its first turn once, however often it is decided about', async () => {
  const runId = await storeRun();
  const outlooks = await Promise.all([decide(runId), decide(runId), decide(runId)]);
  expect(outlooks.map(({ kind }) => kind)).toEqual(['waiting', 'waiting', 'waiting']);
  expect((await stateOf(runId)).turns).toMatchObject([{ step: 0, attempt: 1, status: 'queued' }]);
});

test('a run that pauses before another attempt waits, whatever its Temporal workflow has seen', async () => {
  const { system } = api.database;
  const statusOf = async (runId: string) =>
    (await user.client.get<readonly { id: string; status: string }[]>('/api/runs')).json.find(({ id }) => id === runId)
      ?.status;
  for (const [retries, status] of [
    [1, 'waiting'],
    [0, 'running'],
  ] as const) {
    const runId = await storeRun();
    await system.query("update workflow_runs set steps = jsonb_set(steps, '{0,retries}', $2::jsonb) where id = $1", [
      runId,
      retries,
    ]);
    await decide(runId);
    expect(await statusOf(runId)).toBe('running');
    await system.query("update turns set status = 'failed', started_at = now(), ended_at = now() where run_id = $1", [
      runId,
    ]);
    expect(await statusOf(runId)).toBe(status);
  }
});

test('a run without room for its turn waits, and is woken when the end of a turn leaves some', async () => {
  const room = await fillRoom(api.database, { orgId: user.orgId, userId: user.id });
  const runId = await storeRun();
  expect(await decide(runId)).toMatchObject({ kind: 'waiting', waitsForRoom: true, until: expect.any(Date) });
  await noteSeen(api.database, await stateOf(runId), true);
  const notified: string[] = [];
  api.database.onDueWork((work) => {
    if (work.kind === 'run') notified.push(work.runId);
  });
  await room.endOne();
  expect(notified).toEqual([runId]);
  expect(await decide(runId)).toMatchObject({ kind: 'waiting', waitsForRoom: false });
  expect((await stateOf(runId)).turns).toHaveLength(1);
  notified.length = 0;
  await room.endOne();
  expect(notified).toEqual([]);
});
