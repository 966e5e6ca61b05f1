import { advanceRun } from '../../db/agent-workflows/index.ts';
import type { ApiContext } from '../context/api-context.ts';

/** Begins runs that were stored. */
export async function beginRuns(context: ApiContext, orgId: string, runIds: readonly string[]): Promise<void> {
  await Promise.all(runIds.map(async (runId) => advanceRun(context, { orgId, runId })));
}
