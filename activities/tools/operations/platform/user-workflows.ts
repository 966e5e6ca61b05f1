import { getAgentWorkflow, getRun, startRun, type TriggerDeps } from '../../../../db/agent-workflows/index.ts';
import { findAgentNames } from '../../../../db/agents/index.ts';
import { withOrgTransaction } from '../../../../db/core/index.ts';
import { stepsOf } from '../../../../domain/agent-workflows.ts';
import { allowedIds } from '../../../../domain/permissions/index.ts';
import { retryWhileDatabaseUnavailable } from '../../../core/passing-error.ts';
import type { UserWorkflows } from '../../context.ts';
import { inToolTerms } from '../in-tool-terms.ts';
import type { CallInChat } from '../agent-call.ts';
import { auditCall } from './audit-call.ts';

/** Returns the workflows that a user may run for a tool, until the signal aborts. */
export function userWorkflows(deps: TriggerDeps, call: CallInChat, signal: AbortSignal): UserWorkflows {
  const { database } = deps;
  const { orgId, policy, chatId: byAgentIn } = call;
  const bound = { allowedAgentIds: allowedIds(policy, 'agentIds') };
  const run = async <T>(work: () => Promise<T>) => inToolTerms(() => retryWhileDatabaseUnavailable(signal, work));
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
