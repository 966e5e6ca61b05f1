import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, makeTelemetryFilterString, Runtime, Worker } from '@temporalio/worker';

const WORKFLOWS = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url));

// What is wrong with a history is thrown; the rest would only fill the output of the tests.
const logger = new DefaultLogger('ERROR');
Runtime.install({
  logger,
  telemetryOptions: { logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) } },
});

/** A history as `fetchHistory` answers it, or as JSON. */
export type History = Parameters<typeof Worker.runReplayHistory>[1];

/** A history, and a name for it: any string that no other one of the call has. */
interface NamedHistory {
  readonly workflowId: string;
  readonly history: History;
}

/**
 * Runs recorded histories against today's workflows, or those of another file. Returns by name what was wrong with
 * each: a `DeterminismViolationError` where they would have decided something else, `undefined` where all is well.
 */
export async function replayAll(
  histories: readonly NamedHistory[],
  workflowsPath = WORKFLOWS,
): Promise<ReadonlyMap<string, Error | undefined>> {
  const workflowBundle = await bundleWorkflowCode({ workflowsPath, logger });
  const outcomes = new Map<string, Error | undefined>();
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, histories))
    outcomes.set(workflowId, error);
  return outcomes;
}
