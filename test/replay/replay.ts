import { fileURLToPath } from 'node:url';
import {
  bundleWorkflowCode,
  DefaultLogger,
  makeTelemetryFilterString,
  Runtime,
  Worker,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';

const WORKFLOWS = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url));

// What is wrong with a history is thrown; the rest would only fill the output of the tests.
const logger = new DefaultLogger('ERROR');
Runtime.install({
  logger,
  telemetryOptions: { logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) } },
});

const bundles = new Map<string, Promise<WorkflowBundleWithSourceMap>>();

/** A history as `fetchHistory` answers it, or as JSON. */
export type History = Parameters<typeof Worker.runReplayHistory>[1];

/**
 * Runs a recorded history against today's workflows, or those of another file. Rejects with a
 * `DeterminismViolationError` when they would have decided something else.
 */
export async function replay(history: History, workflowId: string, workflows = WORKFLOWS): Promise<void> {
  const bundle = bundles.get(workflows) ?? bundleWorkflowCode({ workflowsPath: workflows, logger });
  bundles.set(workflows, bundle);
  await Worker.runReplayHistory({ workflowBundle: await bundle }, history, workflowId);
}
