import type { EntityManager } from '@mikro-orm/postgresql';
import { stepsOf } from '../../../domain/agent-workflows/index.ts';
import { allowedIds, namePermissions, policyAllows } from '../../../domain/permissions/index.ts';
import { AgentWorkflow } from '../../agent-workflows/index.ts';
import { findPolicy } from '../../permissions/index.ts';
import { NO_AGENT } from '../plan-next.ts';
import type { Schedule } from '../schedule.entity.ts';

/** Returns why a schedule cannot start runs any more, in words; `undefined` when it can. */
export async function unrunnableReason(em: EntityManager, schedule: Schedule): Promise<string | undefined> {
  const { orgId, ownerId } = schedule;
  if (ownerId === null) return 'The account of its owner was deleted.';
  const policy = await findPolicy(em, { orgId, userId: ownerId });
  if (policy === null) return 'Its owner is no longer a member of the organization.';
  if (!policyAllows(policy, 'schedules.manage'))
    return namePermissions('Its owner may not run schedules any more: the permission schedules.manage is missing.');
  const agentIds = await agentsAtWork(em, schedule);
  if (agentIds.length === 0) return NO_AGENT;
  const agents = await em.execute<{ isActive: boolean }[]>(READ_AGENTS, [`{${agentIds.join(',')}}`]);
  if (agents.length < agentIds.length) return 'Its agent was deleted.';
  if (agents.some(({ isActive }) => !isActive)) return 'Its agent is inactive.';
  const allowed = allowedIds(policy, 'agentIds');
  if (allowed === undefined || agentIds.every((id) => allowed.includes(id))) return undefined;
  return 'Its owner may not use its agent any more.';
}

const READ_AGENTS = 'select is_active as "isActive" from agents where id = any(?::uuid[]) and deleted_at is null';

// Those that answer a prompt of the workflow; its own need not be among them.
async function agentsAtWork(em: EntityManager, { workflowId, agentId }: Schedule): Promise<readonly string[]> {
  if (workflowId === null) return agentId === null ? [] : [agentId];
  const workflow = await em.findOneOrFail(AgentWorkflow, { id: workflowId });
  return [...new Set(stepsOf(workflow).map((step) => step.agentId ?? workflow.agentId))];
}
