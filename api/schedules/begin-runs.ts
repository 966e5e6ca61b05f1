import { settleAll } from '../../domain/core/settle-all.ts';
import { advanceRun } from '../../start-turn/index.ts';
import type { ApiContext } from '../context/api-context.ts';

/** Moves runs that were stored. What fails here, the sweeper of a worker does. */
export async function beginRuns(context: ApiContext, orgId: string, runIds: readonly string[]): Promise<void> {
  await settleAll(runIds.map(async (runId) => advanceRun(context, { orgId, runId }))).catch((error: unknown) => {
    context.log.warn({ err: error }, 'runs of a schedule could not be moved at once; they are moved later');
  });
}
