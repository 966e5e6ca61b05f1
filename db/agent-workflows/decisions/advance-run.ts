import type { RunRef } from '../runs/run-state.ts';
import { dueRuns } from '../../../domain/core/due-work.ts';
import { decideRun } from './decide-run.ts';
import type { RunDeps } from './run-deps.ts';

/**
 * Does at once what is to be done for a run that was stored, decided about or asked to stop, so that its turn begins
 * without waiting for Temporal. Its Temporal workflow is then told in the background, and goes on from the rows; what
 * fails here, it does.
 */
export async function advanceRun(deps: RunDeps, { orgId, runId }: RunRef): Promise<void> {
  const outlook = await decideRun(deps, { orgId, runId }).catch((error: unknown) => {
    deps.log.warn({ err: error, runId }, 'a run could not go on at once; its workflow goes on');
  });
  // Who takes it from the queue has its workflow started.
  if (outlook?.kind === 'queued') return;
  const summary = outlook?.kind === 'waiting' ? { summary: outlook.run.summary } : {};
  await deps.database.follow([{ dueWork: dueRuns([{ orgId, runId, ...summary }]) }]);
}
