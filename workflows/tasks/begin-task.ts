import { continueAsNew, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { workWhenDue } from '../core/work-when-due.ts';
import type { BeginTaskInput } from './contract.ts';

const { beginTask: begin } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '30 seconds',
  // Failures are those of the database or the worker. Longer pauses are timers of the server, and hold no task.
  retry: { initialInterval: '300ms', backoffCoefficient: 2, maximumInterval: '1 minute' },
  localRetryThreshold: '3 seconds',
});

/**
 * Has the agent of a task begin, again and again while there is no room for another turn. A task that still waits for
 * others is left to whoever completes them.
 */
export async function beginTask(input: BeginTaskInput): Promise<void> {
  await workWhenDue(
    async () => begin(input),
    async () => continueAsNew<typeof beginTask>(input),
  );
}
