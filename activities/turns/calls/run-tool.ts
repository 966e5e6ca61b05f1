import { noteFaultOfCall } from '../../../db/turns/index.ts';
import type { RunToolInput } from '../../../workflows/turns/contract.ts';
import { activityCancellation } from '../../core/cancellation.ts';
import { isPassing } from '../../core/passing-error.ts';
import { withHeartbeat } from '../../core/with-heartbeat.ts';
import { MAX_FAULTS } from './blocked-reason.ts';
import { MAX_TRIES, runCall, type ToolDeps } from './run-call.ts';

/** Runs one tool call; see `runCall`. One that cannot even be closed is left to the next claim, which ends its turn. */
export function createRunTool(deps: ToolDeps) {
  return async function runTool(input: RunToolInput): Promise<void> {
    const cancellation = activityCancellation();
    try {
      await withHeartbeat(() => runCall(deps, input, cancellation, deps.callBounds));
    } catch (error) {
      if (cancellation.cancelled.aborted || isPassing(error)) throw error;
      if ((await noteFaultOfCall(deps.database, input, MAX_TRIES)) < MAX_FAULTS) throw error;
      deps.log.error({ err: error, callId: input.callId }, 'a call cannot be closed: its turn is ended');
    }
  };
}
