import { findUnseenRuns, forgetSeenRuns, startQueuedRuns, type UnseenRun } from '../../../db/agent-workflows/index.ts';
import { settleAll } from '../../../domain/core/settle-all.ts';
import { readNamespaceId } from '../../../workflows/core/client.ts';
import { wakeRun } from '../../../workflows/agent-workflows/client.ts';
import { BATCH, type Sweep, type SweepDeps } from '../sweep.ts';

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/**
 * Makes the sweep that wakes the workflows of runs that were not told of a change, because the process that made it was
 * gone or Temporal could not be reached. The first one of a worker, and the first one after Temporal lost its store,
 * wake those of all open runs.
 */
export function recoverRuns(): Sweep {
  let namespaceId: string | undefined;
  return {
    name: 'recover runs',
    run: async (deps) => {
      const id = await readNamespaceId(deps.client);
      if (id !== namespaceId) await forgetSeenRuns(deps.database);
      namespaceId = id;
      await wakeUnseenRuns(deps);
    },
  };
}

async function wakeUnseenRuns({ database, client }: Pick<SweepDeps, 'database' | 'client'>): Promise<void> {
  const recover = async (run: UnseenRun) =>
    run.isQueued ? void (await startQueuedRuns(database, run.orgId, run)) : wakeRun(client, run);
  const failures: unknown[] = [];
  for (let after: string | undefined = BEFORE_ALL; after !== undefined;) {
    const unseen: readonly UnseenRun[] = await findUnseenRuns(database, after, BATCH);
    // Those of one batch do not keep the ones behind it from being woken.
    await settleAll(unseen.map(recover)).catch((error: unknown) => failures.push(error));
    after = unseen.length < BATCH ? undefined : unseen.at(-1)?.runId;
  }
  if (failures.length > 0) throw failures[0];
}
