import type { RunToolInput } from '../../../workflows/turns/contract.ts';
import { activityCancellation } from '../../core/cancellation.ts';
import { withHeartbeat } from '../../core/with-heartbeat.ts';
import { runCall, type ToolDeps } from './run-call.ts';

/** Runs one tool call; see `runCall`. */
export function createRunTool(deps: ToolDeps) {
  return async function runTool(input: RunToolInput): Promise<void> {
    const cancellation = activityCancellation();
    await withHeartbeat(() => runCall(deps, input, cancellation, deps.callBounds));
  };
}
