import type { Client } from '@temporalio/client';
import { v7 as uuidv7 } from 'uuid';
import { TASK_QUEUE } from '../core/contract.ts';
import { type ResultOf, SHORT_WORKFLOWS, type ShortInputs, type TypeOfShort } from './contract.ts';

/** Runs a short workflow and waits for its result. Throws when there is none within its deadline. */
export async function runShort<Type extends TypeOfShort>(
  client: Client,
  type: Type,
  input: ShortInputs[Type],
): Promise<ResultOf<Type>> {
  const { idOf, lifeMs, deadlineMs } = SHORT_WORKFLOWS[type];
  const id = idOf(input as never);
  return client.withDeadline(Date.now() + deadlineMs, () =>
    client.workflow.execute<(input: object) => Promise<ResultOf<Type>>>(type, {
      workflowId: typeof id === 'string' ? id : `${id.prefix}${uuidv7()}`,
      taskQueue: TASK_QUEUE,
      args: [input],
      workflowExecutionTimeout: lifeMs,
      priority: { fairnessKey: input.orgId },
    }),
  );
}
