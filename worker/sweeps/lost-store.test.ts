import type { Client } from '@temporalio/client';
import { expect, test } from '@jest/globals';
import { findOverdueRuns, noteSeen, readRunState } from '../../db/agent-workflows/index.ts';
import { registerUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { storeRuns } from '../../test/support/store-runs.ts';
import { noticeLostStore } from './lost-store.ts';

// It looks at the runs of all organizations.
const served = serveTestApi({ isOwn: true });

test('open runs count as overdue when a worker starts, and when Temporal has lost its store', async () => {
  const { database } = served.api;
  const user = await registerUser(served.url);
  const runIds = await storeRuns(database, user, 2);
  const see = async () => {
    for (const runId of runIds) {
      const state = await readRunState(database, { orgId: user.orgId, runId });
      if (state !== undefined) await noteSeen(database, state);
    }
  };
  const overdue = async () => (await findOverdueRuns(database)).map(({ runId }) => runId).toSorted();
  const server = { namespaceId: 'one' };
  const client = {
    options: { namespace: 'default' },
    withDeadline: async (_deadline: number, work: () => Promise<unknown>) => work(),
    workflowService: { describeNamespace: async () => ({ namespaceInfo: { id: server.namespaceId } }) },
  } as unknown as Client;
  const deps = { database, client };
  const sweep = noticeLostStore();
  await see();
  await sweep.run(deps);
  expect(await overdue()).toEqual(runIds);
  await see();
  await sweep.run(deps);
  expect(await overdue()).toEqual([]);
  server.namespaceId = 'another';
  await sweep.run(deps);
  expect(await overdue()).toEqual(runIds);
});
