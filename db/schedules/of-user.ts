import type { EntityManager } from '@mikro-orm/postgresql';
import { limitReached } from '../../domain/core/app-error.ts';
import type { Membership, OrgLimits } from '../../domain/orgs.ts';
import type { Database, Listed, Page } from '../core/index.ts';
import { readRecords } from '../records/index.ts';
import { Schedule } from './schedule.entity.ts';
import { createSchedule, type NewSchedule } from './schedules.ts';
import { type AgentBound, scheduleIsVisible } from './visible.ts';

/** The schedules of one user with which agents add no further one. */
export const MAX_SCHEDULES_FOR_AGENTS = 50;

/** Returns the schedules of one user, as `listSchedules` does. */
export async function listSchedulesOf(
  database: Database,
  { orgId, userId }: Membership,
  { allowedAgentIds, ...page }: Page & AgentBound,
): Promise<Listed<Schedule>> {
  const where = `schedules.owner_id = $3 and ${scheduleIsVisible('schedules', '$2')}`;
  const values = [allowedAgentIds ?? null, userId];
  return readRecords(database, orgId, Schedule, { name: 'list-schedules-of-user', where, values, page });
}

/** Returns the schedule that was added under an id. */
export async function findAddedSchedule(em: EntityManager, id: string): Promise<Schedule | undefined> {
  return (await em.findOne(Schedule, { id })) ?? undefined;
}

/** Adds a schedule for a user under an id, on behalf of an agent, as `createSchedule` does. */
export async function addScheduleFor(
  em: EntityManager,
  member: Membership & AgentBound,
  schedule: NewSchedule & { readonly id: string },
  limits: OrgLimits,
): Promise<Schedule> {
  const added = await createSchedule(em, member, schedule, limits);
  // Others that are added wait until this transaction has ended, so the count is exact.
  await em.flush();
  const owned = await em.count(Schedule, { ownerId: member.userId, workflowId: null });
  if (owned > MAX_SCHEDULES_FOR_AGENTS)
    throw limitReached('schedules that agents add to', MAX_SCHEDULES_FOR_AGENTS, { whose: 'user', advice: '' });
  return added;
}
