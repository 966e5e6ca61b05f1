import type { EntityManager } from '@mikro-orm/postgresql';
import { allowedIds, policyAllows } from '../../../domain/permissions/index.ts';
import { findPolicy } from '../../permissions/index.ts';
import { NO_AGENT } from '../plan-next.ts';
import type { Schedule } from '../schedule.entity.ts';

/** Returns why a schedule cannot start runs any more, in words; `undefined` when it can. */
export async function unrunnableReason(em: EntityManager, schedule: Schedule): Promise<string | undefined> {
  const { orgId, ownerId, agentId } = schedule;
  if (ownerId === null) return 'The account of its owner was deleted.';
  const policy = await findPolicy(em, { orgId, userId: ownerId });
  if (policy === null) return 'Its owner is no longer a member of the organization.';
  if (!policyAllows(policy, 'schedules.manage'))
    return 'Its owner may not run schedules any more: the permission schedules.manage is missing.';
  if (agentId === null) return NO_AGENT;
  const agents = await em.execute<object[]>('select from agents where id = ? and deleted_at is null', [agentId]);
  if (agents.length === 0) return 'Its agent was deleted.';
  const allowed = allowedIds(policy, 'agentIds');
  return allowed === undefined || allowed.includes(agentId) ? undefined : 'Its owner may not use its agent any more.';
}
