import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { createRun, noteSeen, readRunState } from '../../../db/agent-workflows/index.ts';
import { createAgent, registerUser, type TestUser } from '../../../test/support/factories.ts';
import { startTestApi, type TestApi } from '../../../test/support/test-api.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.ts';
import { recoverRuns } from './agent-workflows.ts';

let place: TestDatabase;
let api: TestApi;
let user: TestUser;
let workflowId: string;

beforeAll(async () => {
  place = await createTestDatabase();
  api = await startTestApi({ databaseUrl: place.url, temporalAddress: '127.0.0.1:1' });
});
afterAll(async () => {
  await api.close();
  await place.drop();
});
beforeEach(async () => {
  await api.database.system.query('delete from workflow_runs');
  user = await registerUser(api.url);
});

/** Stores runs whose process is gone, eleven seconds ago. */
async function storeRuns(count: number, fields: Record<string, unknown> = {}): Promise<string[]> {
  const agentId = await createAgent(user.client);
  const workflow = { name: 'Report', agent_id: agentId, prompt_template: 'Go.', ...fields };
  workflowId = (await user.client.post<{ id: string }>('/api/workflows', workflow)).json.id;
  const run = {
    workflowId,
    userId: user.id,
    triggeredBy: 'manual',
    deliveryKey: undefined,
    variables: {},
    missingVariables: [],
    steps: [{ name: 'prompt', promptTemplate: 'x', agentId, approval: false, retries: 0 }],
    prompt: 'x',
    agentId,
    title: 'Report',
  } as const;
  const ids: string[] = [];
  const limits = { chats: 1_000, messageBytes: 1e9, workBytes: 1e9 };
  for (let stored = 0; stored < count; stored += 1)
    ids.push((await createRun(api.database, user.orgId, run, limits)).runId);
  await api.database.system.query("update workflow_runs set updated_at = updated_at - interval '11 seconds'");
  return ids;
}

/** A Temporal server that notes which runs are woken, and fails for some. */
function startServer(failing: readonly string[] = []) {
  const server = { namespaceId: 'one', woken: [] as string[] };
  const signalWithStart = async (_type: string, { args: [{ runId }] }: { args: [{ runId: string }] }) => {
    if (failing.includes(runId)) throw new Error('the server is busy');
    server.woken.push(runId);
  };
  const client = {
    options: { namespace: 'default' },
    withDeadline: async <T>(_deadline: number, work: () => Promise<T>) => work(),
    workflow: { signalWithStart },
    workflowService: { describeNamespace: async () => ({ namespaceInfo: { id: server.namespaceId } }) },
  } as unknown as Client;
  const deps = {
    database: api.database,
    client,
    takeUp: () => undefined,
  };
  const takeWoken = () => server.woken.splice(0).toSorted();
  return { server, deps, takeWoken };
}

async function see(runId: string): Promise<void> {
  const state = await readRunState(api.database, { orgId: user.orgId, runId });
  if (state !== undefined) await noteSeen(api.database, state);
}

test('all runs that nobody was told of are woken, more than a batch, until their workflows have seen them', async () => {
  const ids = await storeRuns(60);
  const { deps, takeWoken } = startServer();
  const sweep = recoverRuns();
  await sweep.run(deps);
  expect(takeWoken()).toEqual(ids.toSorted());
  for (const id of ids.slice(1)) await see(id);
  await sweep.run(deps);
  expect(takeWoken()).toEqual([ids[0]]);
});

test('a run that cannot be woken does not keep the others from being woken, and is tried again', async () => {
  const [first = '', ...others] = await storeRuns(60);
  const busy = startServer([first]);
  await expect(recoverRuns().run(busy.deps)).rejects.toThrow('busy');
  expect(busy.takeWoken()).toEqual(others);
  const { deps, takeWoken } = startServer();
  await recoverRuns().run(deps);
  expect(takeWoken()).toContain(first);
});

test('the open runs that were seen are woken when a worker starts, and when Temporal has lost its store', async () => {
  const ids = await storeRuns(2);
  for (const id of ids) await see(id);
  const { server, deps, takeWoken } = startServer();
  const sweep = recoverRuns();
  await sweep.run(deps);
  expect(takeWoken()).toEqual(ids);
  for (const id of ids) await see(id);
  await sweep.run(deps);
  expect(takeWoken()).toEqual([]);
  server.namespaceId = 'another';
  await sweep.run(deps);
  expect(takeWoken()).toEqual(ids);
});

test('queued runs that nobody gave a place get one in order, and the others are left alone', async () => {
  const [first, ...others] = await storeRuns(3, { max_concurrent_runs: 1 });
  const { deps } = startServer();
  const told: string[] = [];
  api.database.onMovedRuns((moved) => void told.push(...moved.map(({ runId }) => runId)));
  await recoverRuns().run(deps);
  expect(told).toEqual([first]);
  const { rows } = await api.database.system.query(
    'select id from workflow_runs where completed_at is null and seen_version = version order by id',
  );
  expect(rows).toEqual(others.map((id) => ({ id })));
});
