import type { Client, WorkflowHandle } from '@temporalio/client';
import { resetToBeginning } from '../../workflows/resets/client.ts';

/** What an operator can do with a workflow in Temporal's UI. */
export const OPERATOR_ACTIONS = ['cancelled', 'terminated', 'deleted', 'reset'] as const;

export type OperatorAction = (typeof OPERATOR_ACTIONS)[number];

/** Does with a workflow what an operator can do in Temporal's UI. */
export async function actAsOperator(client: Client, workflow: WorkflowHandle, action: OperatorAction): Promise<void> {
  const { workflowId } = workflow;
  if (action === 'cancelled') await workflow.cancel();
  else if (action === 'terminated') await workflow.terminate();
  else if (action === 'reset') await resetToBeginning(client, workflowId);
  else {
    const { namespace } = client.options;
    await client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId } });
  }
}
