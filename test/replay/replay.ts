import {
  bundleWorkflowCode,
  DefaultLogger,
  makeTelemetryFilterString,
  type ReplayResult,
  Runtime,
  Worker,
} from '@temporalio/worker';
import { pino } from 'pino';
import { workflowBundle } from '../../worker/workflow-bundle.ts';

// What is wrong with a history is thrown; the rest would only fill the output of the tests.
const logger = new DefaultLogger('ERROR');
Runtime.install({
  logger,
  telemetryOptions: { logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) } },
});

/** A history as `fetchHistory` answers it, or as JSON. */
export type History = Parameters<typeof Worker.runReplayHistory>[1];

/** Bundles workflows for a worker. */
export async function bundleWorkflows(workflowsPath: string) {
  return bundleWorkflowCode({ workflowsPath, logger });
}

/**
 * Runs recorded histories against today's workflows, as a worker has them, or those of another file. What is wrong with
 * one is its `error`: a `DeterminismViolationError` where they would have decided something else.
 */
export async function replayAll(
  histories: readonly { readonly workflowId: string; readonly history: History }[],
  changedPath?: string,
): Promise<readonly ReplayResult[]> {
  const bundle = await (changedPath === undefined
    ? workflowBundle(pino({ level: 'silent' }))
    : bundleWorkflows(changedPath));
  const results: ReplayResult[] = [];
  for await (const result of Worker.runReplayHistories({ workflowBundle: bundle }, histories)) results.push(result);
  return results;
}
