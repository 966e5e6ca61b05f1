import type { Database } from '../../../../db/core/index.ts';
import { listProjectAgents } from '../../../../db/projects/index.ts';
import { AppError } from '../../../../domain/core/app-error.ts';
import { allowedIds, type Policy, policyAllows } from '../../../../domain/permissions/index.ts';
import { retryWhileDatabaseUnavailable } from '../../../core/retry-while-database-unavailable.ts';
import type { Broadcasts, UserTasks } from '../../context.ts';
import { inToolTerms } from '../in-tool-terms.ts';
import { auditCall } from './audit-call.ts';

/** Who a call works for, and in which chat. */
interface BroadcastScope {
  readonly orgId: string;
  readonly userId: string;
  /** The agent that makes the call, which is told nothing of its own message. */
  readonly agentId: string;
  /** The rights of the user now; null when they are no longer a member. */
  readonly policy: Policy | null;
  /** The user's chat that the agent works for, and the agent's own: the same one, or one below it. */
  readonly chatId: string;
  readonly belowId: string;
  readonly callId: string;
}

interface BroadcastDeps {
  readonly database: Database;
  /** The tasks of the chat that the message is sent in. */
  readonly tasks: Pick<UserTasks, 'createPlan'>;
}

/** Returns whom an agent may send messages to, until the signal aborts. */
export function broadcasts({ database, tasks }: BroadcastDeps, scope: BroadcastScope, signal: AbortSignal) {
  const { orgId, userId, agentId, policy, chatId, belowId, callId } = scope;
  const reader = { orgId, userId, seesShared: false };
  const onlyIds = allowedIds(policy, 'agentIds');
  return {
    // Two agents that tell all others of what they were told would never end.
    mayBroadcast: chatId === belowId,
    listProjectAgents: async (projectId, limit) =>
      inToolTerms(async () => {
        if (policy === null || !policyAllows(policy, 'projects.view'))
          throw new AppError(
            'forbidden',
            'The user whom you work for lacks the permission projects.view that this needs',
          );
        const { items } = await retryWhileDatabaseUnavailable(signal, async () =>
          listProjectAgents(database, reader, projectId, { onlyIds, limit }),
        );
        return items.filter(({ id, isActive }) => isActive && id !== agentId);
      }),
    send: async (plan, given) => {
      const sent = await tasks.createPlan(callId, plan);
      const relatedIds = [chatId, ...sent.steps.flatMap(({ assignedAgentId: id }) => id ?? [])];
      const change = { action: 'tasks.create', recordId: sent.plan.id, relatedIds, given } as const;
      await inToolTerms(() => retryWhileDatabaseUnavailable(signal, async () => auditCall(database, scope, change)));
      return sent;
    },
  } satisfies Broadcasts;
}
