import { Client, Connection } from '@temporalio/client';
import { recoverDueWork as scan } from '../../worker/recover-due-work.ts';
import type { TestInstance } from './test-instance.ts';

type Instance = Pick<TestInstance, 'api' | 'temporalAddress'>;

/** Scans for overdue work, as each worker does when it starts and once a minute from then on. */
export async function recoverDueWork({ api: { database }, temporalAddress: address }: Instance): Promise<void> {
  const connection = await Connection.connect({ address });
  await scan({ database, client: new Client({ connection }) });
  await connection.close();
}

/** Has the runs recovered whose process was gone before it could tell of a change: that is a while ago. */
export async function recoverRuns(instance: Instance): Promise<void> {
  await instance.api.database.system.query(
    "update workflow_runs set updated_at = now() - interval '1 minute' where completed_at is null",
  );
  await recoverDueWork(instance);
}
