import {
  getAgentWorkflow,
  getRun,
  isStartedByAgent,
  type TriggerDeps,
  triggerRun,
} from '../../../../db/agent-workflows/index.ts';
import { findAgentNames } from '../../../../db/agents/index.ts';
import { withOrgTransaction } from '../../../../db/core/index.ts';
import { AppError } from '../../../../domain/core/app-error.ts';
import { stepsOf } from '../../../../domain/agent-workflows/index.ts';
import { allowedIds, type Policy } from '../../../../domain/permissions/index.ts';
import { retryWhileDatabaseUnavailable } from '../../../core/retry-while-database-unavailable.ts';
import type { UserWorkflows } from '../../context.ts';
import { inToolTerms } from '../in-tool-terms.ts';
import { auditCall } from './audit-call.ts';

/** Who a call works for, and in which chat. */
interface WorkflowScope {
  readonly orgId: string;
  readonly userId: string;
  /** The agent that makes the call. */
  readonly agentId: string;
  /** The rights of the user now; null when they are no longer a member. */
  readonly policy: Policy | null;
  /** The chat of the agent at the root: the conversation of a run, when a run works there. */
  readonly chatId: string;
  readonly callId: string;
}

/** Returns the workflows that a user may run for a tool, until the signal aborts. */
export function userWorkflows(deps: TriggerDeps, scope: WorkflowScope, signal: AbortSignal): UserWorkflows {
  const { database } = deps;
  const { orgId, userId, policy, chatId } = scope;
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
    trigger: async (workflow, variables, key) =>
      run(async () => {
        await requireOwnStart(database, orgId, chatId);
        const trigger = { userId, triggeredBy: 'agent', variables, deliveryKey: `${userId} ${key}` } as const;
        const { runId } = await triggerRun(deps, workflow, trigger);
        const change = { action: 'workflows.trigger', recordId: workflow.id, given: { variables } } as const;
        await auditCall(database, scope, change);
        return runId;
      }),
    readRun: async (workflowId, runId) => run(async () => getRun(database, orgId, { workflowId, runId, ...bound })),
  };
}

/** Rejects starting a run in the conversation of one that an agent has started: they could start each other forever. */
export async function requireOwnStart(database: TriggerDeps['database'], orgId: string, chatId: string): Promise<void> {
  if (!(await isStartedByAgent(database, orgId, chatId))) return;
  throw new AppError(
    'conflict',
    'You work in a run that an agent has started, so you cannot start another run. Say in your answer what should be run',
  );
}
