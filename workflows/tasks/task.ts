import { continueAsNew, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { ASK_ROW, followRow } from '../core/follow-row.ts';
import type { TaskInput } from './contract.ts';

const { nextStepOfTask } = proxyLocalActivities<Activities>(ASK_ROW);

/**
 * Follows the work of an agent on a task: has it begin, also when that takes room that others must free before, and
 * ends with the attempt. It asks the row of the task when that has changed, as by the end of the attempt or of another
 * turn that leaves room. A task that still waits for others is left to whoever completes them.
 */
export async function task(input: TaskInput): Promise<void> {
  await followRow(
    async (news) => nextStepOfTask({ ...input, ...news }),
    async () => continueAsNew<typeof task>(input),
  );
}
