import { getAgentWorkflow } from '../../../../db/agent-workflows/agent-workflows.ts';
import { getRun, type Run } from '../../../../db/agent-workflows/runs/list-runs.ts';
import {
  type RunnableWorkflow,
  startRun,
  type TriggerDeps,
} from '../../../../db/agent-workflows/decisions/trigger-run.ts';
import { findAgentNames } from '../../../../db/agents/find-agents.ts';
import { withOrgTransaction } from '../../../../db/core/transactions.ts';
import { stepsOf } from '../../../../domain/agent-workflows.ts';
import { allowedIds } from '../../../../domain/permissions/restrict.ts';
import { auditCall, type CallInChat, runOperation } from '../agent-call.ts';

export type { RunnableWorkflow };

/** A run of a workflow, as tools see it. */
export type ToolRun = Pick<
  Run,
  'id' | 'workflowId' | 'status' | 'missingVariables' | 'output' | 'error' | 'startedAt' | 'completedAt'
>;

/**
 * The workflows that the user of a call may run, by the operations of the routes. Throws `ToolFailure` with a message
 * for the model.
 */
export interface UserWorkflows {
  find(id: string): Promise<RunnableWorkflow>;
  /** Returns what the agents of a workflow are called, by their ids; without those that were deleted. */
  findAgentNames(workflow: RunnableWorkflow): Promise<ReadonlyMap<string, string>>;
  /** Starts a run of a workflow that is accepted, and returns its id; the same key again starts no second one. */
  trigger(
    id: string,
    request: {
      readonly variables: Readonly<Record<string, unknown>>;
      readonly key: string;
      readonly accept: (workflow: RunnableWorkflow) => Promise<void>;
    },
  ): Promise<string>;
  readRun(workflowId: string, runId: string): Promise<ToolRun>;
}

/** Returns the workflows that a user may run for a tool, until the signal aborts. */
export function userWorkflows(deps: TriggerDeps, call: CallInChat, signal: AbortSignal): UserWorkflows {
  const { database } = deps;
  const { orgId, policy, chatId: byAgentIn } = call;
  const bound = { allowedAgentIds: allowedIds(policy, 'agentIds') };
  const run = async <T>(work: () => Promise<T>) => runOperation(signal, work);
  return {
    find: async (id) =>
      run(async () => withOrgTransaction(database, orgId, async (em) => getAgentWorkflow(em, { id, ...bound }))),
    findAgentNames: async (workflow) =>
      run(async () =>
        findAgentNames(database, orgId, [
          workflow.agentId,
          ...stepsOf(workflow).flatMap(({ agentId }) => agentId ?? []),
        ]),
      ),
    trigger: async (workflowId, request) =>
      run(async () => {
        const runId = await startRun(deps, call, { ...request, workflowId, byAgentIn });
        const { variables } = request;
        await auditCall(database, call, { action: 'workflows.trigger', recordId: workflowId, given: { variables } });
        return runId;
      }),
    readRun: async (workflowId, runId) => run(async () => getRun(database, orgId, { workflowId, runId, ...bound })),
  };
}
