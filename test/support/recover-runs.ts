import type { TestInstance } from './test-instance.ts';

/**
 * Has a worker find the run whose process was gone before it could tell of a change: that is a while ago, and a worker
 * scans for such runs when it starts, and once a minute from then on.
 */
export async function recoverRuns({ api, addWorker }: Pick<TestInstance, 'api' | 'addWorker'>): Promise<void> {
  await api.database.system.query(
    "update workflow_runs set updated_at = now() - interval '1 minute' where completed_at is null",
  );
  await addWorker();
}
