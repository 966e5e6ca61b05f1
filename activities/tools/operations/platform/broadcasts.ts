import type { Database } from '../../../../db/core/index.ts';
import { listProjectAgents } from '../../../../db/projects/index.ts';
import { AppError } from '../../../../domain/core/app-error.ts';
import { allowedIds, policyAllows } from '../../../../domain/permissions/index.ts';
import { retryWhileDatabaseUnavailable } from '../../../core/passing-error.ts';
import type { Broadcasts, UserTasks } from '../../context.ts';
import { inToolTerms } from '../in-tool-terms.ts';
import type { CallBelowChat } from '../agent-call.ts';
import { auditCall } from './audit-call.ts';

interface BroadcastDeps {
  readonly database: Database;
  /** The tasks of the chat that the message is sent in. */
  readonly tasks: Pick<UserTasks, 'createPlan'>;
}

/** Returns whom an agent may send messages to, until the signal aborts. */
export function broadcasts({ database, tasks }: BroadcastDeps, call: CallBelowChat, signal: AbortSignal) {
  const { orgId, userId, agentId, policy, chatId, belowId, callId } = call;
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
      await inToolTerms(() => retryWhileDatabaseUnavailable(signal, async () => auditCall(database, call, change)));
      return sent;
    },
  } satisfies Broadcasts;
}
