import { randomUUID } from 'node:crypto';
import type { WorkflowHandle, WorkflowService } from '@temporalio/client';

/** What an operator can do with a workflow in Temporal's UI. */
export const OPERATOR_ACTIONS = ['cancelled', 'terminated', 'deleted', 'reset'] as const;

export type OperatorAction = (typeof OPERATOR_ACTIONS)[number];

/** Does with a workflow what an operator can do in Temporal's UI. */
export async function actAsOperator(
  service: WorkflowService,
  workflow: WorkflowHandle,
  action: OperatorAction,
): Promise<void> {
  const { workflowId } = workflow;
  const named = { namespace: 'default', workflowExecution: { workflowId } };
  if (action === 'cancelled') await workflow.cancel();
  else if (action === 'terminated') await workflow.terminate();
  else if (action === 'deleted') await service.deleteWorkflowExecution(named);
  else {
    const { events } = await workflow.fetchHistory();
    const firstTask = events?.find(({ workflowTaskCompletedEventAttributes: ended }) => ended != null);
    const workflowTaskFinishEventId = firstTask?.eventId ?? null;
    await service.resetWorkflowExecution({ ...named, workflowTaskFinishEventId, requestId: randomUUID() });
  }
}
