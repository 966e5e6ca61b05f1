import { decideRun, interruptRun, noteSeen, noteSeenEnd, type RunDeps } from '../../db/agent-workflows/index.ts';
import type { NextStepOfRunInput } from '../../workflows/agent-workflows/contract.ts';
import type { NextStep } from '../../workflows/core/contract.ts';

/** Does what is to be done for a run now, and returns what its workflow waits for. */
export function createNextStepOfRun(deps: RunDeps) {
  return async function nextStepOfRun({ isCancelled, ...ref }: NextStepOfRunInput): Promise<NextStep> {
    const { database } = deps;
    if (isCancelled) await interruptRun(database, ref.orgId, ref.runId);
    const outlook = await decideRun(deps, ref);
    if (outlook.kind === 'ended') await noteSeenEnd(database, ref);
    if (outlook.kind !== 'waiting') return { kind: 'closed' };
    const { run, step, until, waitsFor, waitsForRoom } = outlook;
    await noteSeen(database, run, waitsForRoom);
    const details = `Step ${step + 1} of ${run.steps.length}. Waits for ${waitsFor}.`;
    return { kind: 'wait', until: until?.getTime() ?? null, details };
  };
}
