import { type EntityManager, LockMode, type RequiredEntityData } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import type { Membership } from '../../domain/orgs/index.ts';
import { requireAgents } from '../agents/index.ts';
import { dequeueRuns } from '../agent-workflows/index.ts';
import { afterCommit, type Database, type Listed, type Page } from '../core/index.ts';
import { readRecords } from '../records/index.ts';
import { stopTurnsOfSchedule } from '../turns/index.ts';
import { pause, planAfter, planNext } from './plan-next.ts';
import { requireAgentOf } from './run-of.ts';
import { Schedule } from './schedule.entity.ts';
import { type AgentBound, scheduleIsVisible } from './visible.ts';

/** The fields of a schedule that a caller sets. */
export type ScheduleFields = Pick<
  Schedule,
  | 'name'
  | 'description'
  | 'agentId'
  | 'prompt'
  | 'cronExpr'
  | 'intervalMinutes'
  | 'timezone'
  | 'overlap'
  | 'catchupMinutes'
  | 'jitterSeconds'
  | 'pauseOnFailure'
  | 'startAt'
  | 'endAt'
  | 'maxRuns'
  | 'keepRunsDays'
>;

/** A schedule as it is added. */
export type NewSchedule = ScheduleFields & {
  readonly isActive: boolean;
  /** A new one unless given. */
  readonly id?: string;
  /** Whether its prompt may repeat text from outside; not when a person writes it. */
  readonly isForeign?: boolean;
};

/** What changes of a schedule. */
export type ScheduleChanges = Partial<ScheduleFields> & Pick<NewSchedule, 'isForeign'>;

const THING = 'Schedule';

/** A schedule, and who asks for it. */
export interface ScheduleRef extends AgentBound {
  readonly id: string;
}

/** Returns the organization's schedules whose agents may be used, oldest first, without those of workflows. */
export async function listSchedules(
  database: Database,
  orgId: string,
  { allowedAgentIds, ...page }: Page & AgentBound,
): Promise<Listed<Schedule>> {
  const where = scheduleIsVisible('schedules', '$2');
  const values = [allowedAgentIds ?? null];
  return readRecords(database, orgId, Schedule, { name: 'list-schedules', where, values, page });
}

/** Returns the schedule; `not_found` when there is none, or when its agent may not be used. */
export async function getSchedule(em: EntityManager, { id, ...bound }: ScheduleRef): Promise<Schedule> {
  return requireVisible(await em.findOne(Schedule, { id }), bound);
}

/** Returns the schedule as `getSchedule` does, locked until the transaction has ended. */
export async function lockSchedule(em: EntityManager, { id, ...bound }: ScheduleRef): Promise<Schedule> {
  return requireVisible(await em.findOne(Schedule, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE }), bound);
}

function requireVisible(schedule: Schedule | null, { allowedAgentIds }: AgentBound): Schedule {
  if (schedule === null || schedule.workflowId !== null) throw notFound(THING);
  const { agentId } = schedule;
  if (agentId !== null && allowedAgentIds !== undefined && !allowedAgentIds.includes(agentId)) throw notFound(THING);
  return schedule;
}

/**
 * Adds a schedule that belongs to its creator; `not_found` when it names an unknown agent. One without an agent is not
 * active, and says why.
 */
export async function createSchedule(
  em: EntityManager,
  { orgId, userId: ownerId }: Membership,
  { isActive, id = uuidv7(), isForeign = false, ...fields }: NewSchedule,
): Promise<Schedule> {
  await requireAgents(em, agentsOf(fields));
  const now = new Date();
  const state = { isActive: false, pauseReason: null, nextRunAt: null, runsCount: 0, workflowId: null };
  const data = { ...fields, ...state, isForeign, id, orgId, ownerId, createdAt: now };
  const schedule = em.create(Schedule, data as RequiredEntityData<Schedule>, { persist: true });
  if (schedule.agentId === null) pause(schedule, null);
  else if (isActive) start(schedule, now);
  return schedule;
}

/**
 * Changes the given fields of a locked schedule only. Who changes what its runs do, or when, becomes its owner, in
 * whose name they run: nobody makes another's agent work with rights that they lack themselves. `not_found` when it
 * names an unknown agent.
 */
export async function updateSchedule(
  em: EntityManager,
  { userId }: Membership,
  { schedule, changes }: { readonly schedule: Schedule; readonly changes: ScheduleChanges },
): Promise<Schedule> {
  const before = { work: workOf(schedule), slots: slotsOf(schedule), bounds: boundsOf(schedule) };
  em.assign(schedule, { ...withOrigin(changes), updatedAt: new Date() });
  if (schedule.agentId !== before.work.agentId) await changeAgent(em, schedule, before.work.agentId);
  const hasOtherSlots = isOther(before.slots, slotsOf(schedule));
  const hasOtherBounds = isOther(before.bounds, boundsOf(schedule));
  if (hasOtherSlots || hasOtherBounds || isOther(before.work, workOf(schedule))) schedule.ownerId = userId;
  // The slots before now are those of the former times.
  if (schedule.isActive && hasOtherSlots) planAfter(schedule, new Date());
  else if (schedule.isActive && hasOtherBounds) planNext(schedule, schedule.nextRunAt ?? undefined);
  if (changes.keepRunsDays !== undefined) schedule.purgeAt = new Date();
  await em.flush();
  // More runs may begin now.
  if (changes.overlap !== undefined) await dequeueRuns(em, { workflowId: null, scheduleId: schedule.id });
  return schedule;
}

/**
 * Lets a locked schedule start runs, or no longer. Who lets it becomes the owner: otherwise they could start runs in
 * the name of somebody who has stopped it. `unprocessable` when it has no agent, or no times left.
 */
export function setScheduleActive({ userId }: Membership, schedule: Schedule, isActive: boolean): Schedule {
  schedule.updatedAt = new Date();
  if (!isActive) pause(schedule, null);
  else if (!schedule.isActive) {
    schedule.ownerId = userId;
    start(schedule, new Date());
  }
  return schedule;
}

/** Deletes a locked schedule with its runs, whose turns are asked to stop. Their conversations stay. */
export async function deleteSchedule(em: EntityManager, { id, orgId }: Schedule): Promise<void> {
  await stopTurnsOfSchedule(em, id);
  await em.nativeDelete(Schedule, { id });
  afterCommit(em, { dueWork: [{ kind: 'schedule', orgId, scheduleId: id }] });
}

const agentsOf = ({ agentId }: Pick<Schedule, 'agentId'>) => (agentId === null ? [] : [agentId]);

// One that gets its first agent waits to be activated.
async function changeAgent(em: EntityManager, schedule: Schedule, before: string | null): Promise<void> {
  await requireAgents(em, agentsOf(schedule));
  if (schedule.agentId === null || before === null) pause(schedule, null);
}

// Only who writes the prompt says whether it may repeat text from outside.
function withOrigin({ isForeign = false, ...fields }: ScheduleChanges): ScheduleChanges {
  return fields.prompt === undefined ? fields : { ...fields, isForeign };
}

function start(schedule: Schedule, now: Date): void {
  requireAgentOf(schedule);
  planAfter(schedule, now);
  if (schedule.isActive) return;
  throw new AppError('unprocessable', `The schedule would start no run: ${schedule.pauseReason}`);
}

const workOf = ({ agentId, prompt }: Schedule) => ({ agentId, prompt });

const boundsOf = ({ jitterSeconds, maxRuns }: Schedule) => ({ jitterSeconds, maxRuns });

const slotsOf = (schedule: Schedule) => ({
  cronExpr: schedule.cronExpr,
  intervalMinutes: schedule.intervalMinutes,
  timezone: schedule.timezone,
  startAt: schedule.startAt?.getTime() ?? null,
  endAt: schedule.endAt?.getTime() ?? null,
});

function isOther(before: object, now: object): boolean {
  return JSON.stringify(before) !== JSON.stringify(now);
}
