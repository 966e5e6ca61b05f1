import { type EntityManager, LockMode, type RequiredEntityData } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { nextSlot, replaceKind, requireTiming } from '../../domain/schedules/timing.ts';
import { Schedule } from './schedule.entity.ts';
import { AppError, limitReached, notFound } from '../../domain/core/app-error.ts';
import type { Membership, OrgLimits } from '../../domain/orgs.ts';
import { afterCommit } from '../core/after-commit.ts';
import type { Database } from '../core/database.ts';
import type { Listed, Page } from '../core/page.ts';
import { readRecords } from '../records/records.ts';
import { type AgentBound, requireAgentOf, scheduleIsVisible } from './runs.ts';
import { type ExpectedVersions, requireVersion, setsAny } from '../../domain/resources.ts';
import { requireAgents } from '../agents/agents.ts';
import { dequeueRuns } from '../agent-workflows/runs/run-queue.ts';
import { requireRoom } from '../orgs/require-room.ts';
import { stopTurnsOfSchedule } from '../turns/runs.ts';

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

/** The fields of a new schedule that nobody sets. */
export const SCHEDULE_DEFAULTS = {
  description: null,
  agentId: null,
  cronExpr: null,
  intervalMinutes: null,
  timezone: 'UTC',
  overlap: 'skip',
  catchupMinutes: 10,
  jitterSeconds: 0,
  pauseOnFailure: false,
  startAt: null,
  endAt: null,
  maxRuns: null,
  keepRunsDays: 90,
  isActive: true,
} as const;

/** A schedule that is added: fields that are not given get their defaults. */
export type NewSchedule = Pick<ScheduleFields, 'name' | 'prompt'> &
  Partial<ScheduleFields> & {
    readonly isActive?: boolean;
    /** A new one unless given. */
    readonly id?: string;
    /** Whether its prompt may repeat text from outside; not when a person writes it. */
    readonly isForeign?: boolean;
  };

/** The changeable fields of a schedule. */
export type ScheduleChanges = Partial<ScheduleFields> & Pick<NewSchedule, 'isForeign'>;

const SHOWN = [
  'id',
  'orgId',
  'ownerId',
  'name',
  'description',
  'cronExpr',
  'intervalMinutes',
  'agentId',
  'prompt',
  'timezone',
  'overlap',
  'catchupMinutes',
  'jitterSeconds',
  'pauseOnFailure',
  'startAt',
  'endAt',
  'maxRuns',
  'keepRunsDays',
  'isActive',
  'pauseReason',
  'nextRunAt',
  'createdAt',
  'updatedAt',
] as const satisfies (keyof Schedule)[];

/** The fields of a schedule that are shown: most of the time of a long list is that of reading fields. */
export type ShownSchedule = Pick<Schedule, (typeof SHOWN)[number]>;

const THING = 'Schedule';

/** A schedule, and who asks for it. */
export interface ScheduleRef extends AgentBound {
  readonly id: string;
  /** Its owner, where it is asked for as theirs. */
  readonly ownerId?: string;
  /** The versions of it that a change is meant for. */
  readonly expected?: ExpectedVersions;
}

/** The user who adds a schedule, or in whose name an agent does, and the agents that they may use. */
type ScheduleActor = Membership & AgentBound;

/** Returns the organization's schedules whose agents may be used, oldest first, without those of workflows. */
export async function listSchedules(
  database: Database,
  orgId: string,
  { allowedAgentIds, ...page }: Page & AgentBound,
): Promise<Listed<ShownSchedule>> {
  const where = scheduleIsVisible('schedules', '$2');
  const values = [allowedAgentIds ?? null];
  return readRecords(database, orgId, Schedule, { name: 'list-schedules', only: SHOWN, where, values, page });
}

/** Returns the schedule; `not_found` when there is none, or when its agent may not be used. */
export async function getSchedule(em: EntityManager, { id, ...bound }: ScheduleRef): Promise<Schedule> {
  return requireVisible(await em.findOne(Schedule, { id }), bound);
}

/** Returns the schedule as `getSchedule` does, locked until the transaction has ended. */
export async function lockSchedule(em: EntityManager, { id, expected, ...bound }: ScheduleRef): Promise<Schedule> {
  const found = await em.findOne(Schedule, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  const schedule = requireVisible(found, bound);
  requireVersion(schedule, expected);
  return schedule;
}

function requireVisible(schedule: Schedule | null, { ownerId, ...bound }: Omit<ScheduleRef, 'id'>): Schedule {
  if (schedule === null || schedule.workflowId !== null || !mayUse(bound, schedule.agentId)) throw notFound(THING);
  if (ownerId !== undefined && schedule.ownerId !== ownerId) throw notFound(THING);
  return schedule;
}

function mayUse({ allowedAgentIds }: AgentBound, agentId: string | null): boolean {
  return agentId === null || allowedAgentIds === undefined || allowedAgentIds.includes(agentId);
}

/**
 * Adds a schedule that belongs to its creator; `not_found` when it names an agent that is unknown, or that they may not
 * use. One without an agent is not active, and says why.
 */
export async function createSchedule(
  em: EntityManager,
  { orgId, userId: ownerId, ...bound }: ScheduleActor,
  given: NewSchedule,
  limits: OrgLimits,
): Promise<Schedule> {
  const { isActive, id = uuidv7(), isForeign = false, ...fields } = { ...SCHEDULE_DEFAULTS, ...given };
  requireTiming(fields);
  await requireRoom(em, orgId, 'schedules', limits);
  await requireUsableAgent(em, bound, fields.agentId);
  const now = new Date();
  const state = { isActive: false, pauseReason: null, nextRunAt: null, runsCount: 0, workflowId: null };
  const data = { ...fields, ...state, isForeign, id, orgId, ownerId, createdAt: now };
  const schedule = em.create(Schedule, data as RequiredEntityData<Schedule>, { persist: true });
  if (schedule.agentId === null) pause(schedule, null);
  else if (isActive) start(schedule, now);
  return schedule;
}

/**
 * Changes the given fields of a schedule only; a cron line replaces an interval, and the other way round. The member
 * who changes what its runs do, or when, becomes its owner, in whose name they run: nobody makes another's agent work
 * with rights that they lack themselves. `not_found` when it names an agent that is unknown, or that they may not use.
 */
export async function updateSchedule(
  em: EntityManager,
  { userId }: Membership,
  ref: ScheduleRef,
  given: ScheduleChanges,
): Promise<Schedule> {
  const schedule = await lockSchedule(em, ref);
  const changes = replaceKind(given);
  requireTiming({ ...timesOf(schedule), ...changes });
  const before = { work: workOf(schedule), times: timesOf(schedule), bounds: boundsOf(schedule) };
  em.assign(schedule, withTime(withOrigin(changes)));
  if (schedule.agentId !== before.work.agentId) await changeAgent(em, ref, schedule, before.work.agentId);
  const hasOtherTimes = isOther(before.times, timesOf(schedule));
  const hasOtherBounds = isOther(before.bounds, boundsOf(schedule));
  if (hasOtherTimes || hasOtherBounds || isOther(before.work, workOf(schedule))) schedule.ownerId = userId;
  // The slots before now are those of the former times.
  if (schedule.isActive && hasOtherTimes) planAfter(schedule, new Date());
  else if (schedule.isActive && hasOtherBounds) planNext(schedule, schedule.nextRunAt ?? undefined);
  if (changes.keepRunsDays !== undefined) schedule.purgeAt = new Date();
  await em.flush();
  // More runs may begin now.
  if (changes.overlap !== undefined) await dequeueRuns(em, { workflowId: null, scheduleId: schedule.id });
  return schedule;
}

/**
 * Activates or deactivates a schedule. The user who activates it becomes the owner: otherwise they could start runs in
 * the name of somebody who has stopped it. `unprocessable` when it has no agent, or no times left.
 */
export async function setScheduleActive(
  em: EntityManager,
  { userId }: Membership,
  ref: ScheduleRef,
  isActive: boolean,
): Promise<Schedule> {
  const schedule = await lockSchedule(em, ref);
  schedule.updatedAt = new Date();
  if (!isActive) pause(schedule, null);
  else if (!schedule.isActive) {
    schedule.ownerId = userId;
    start(schedule, new Date());
  }
  return schedule;
}

/** Deletes a schedule with its runs, whose turns are asked to stop. Their conversations stay. */
export async function deleteSchedule(em: EntityManager, ref: ScheduleRef): Promise<void> {
  const { id, orgId } = await lockSchedule(em, ref);
  await stopTurnsOfSchedule(em, id);
  await em.nativeDelete(Schedule, { id });
  afterCommit(em, { dueWork: [{ kind: 'schedule', orgId, scheduleId: id }] });
}

// One that gets its first agent waits to be activated.
async function changeAgent(em: EntityManager, bound: AgentBound, schedule: Schedule, before: string | null) {
  await requireUsableAgent(em, bound, schedule.agentId);
  if (schedule.agentId === null || before === null) pause(schedule, null);
}

async function requireUsableAgent(em: EntityManager, bound: AgentBound, agentId: string | null): Promise<void> {
  if (!mayUse(bound, agentId)) throw notFound('Agent');
  await requireAgents(em, agentId === null ? [] : [agentId]);
}

// Only who writes the prompt says whether it may repeat text from outside.
function withOrigin({ isForeign = false, ...fields }: ScheduleChanges): ScheduleChanges {
  return fields.prompt === undefined ? fields : { ...fields, isForeign };
}

function withTime(changes: ScheduleChanges) {
  return setsAny(changes) ? { ...changes, updatedAt: new Date() } : changes;
}

function start(schedule: Schedule, now: Date): void {
  requireAgentOf(schedule);
  planAfter(schedule, now);
  if (schedule.isActive) return;
  throw new AppError('unprocessable', `The schedule would start no run: ${schedule.pauseReason}`);
}

function timesOf({ cronExpr, intervalMinutes, timezone, startAt, endAt }: Schedule) {
  return { cronExpr, intervalMinutes, timezone, startAt, endAt };
}

const workOf = ({ agentId, prompt }: Schedule) => ({ agentId, prompt });

const boundsOf = ({ jitterSeconds, maxRuns }: Schedule) => ({ jitterSeconds, maxRuns });

function isOther(before: object, now: object): boolean {
  return JSON.stringify(before) !== JSON.stringify(now);
}

/** Says which slot of an active schedule is the next; without one, or when it has started enough runs, it ends. */
export function planNext(schedule: Schedule, slot: Date | undefined): void {
  const { maxRuns, runsCount } = schedule;
  if (maxRuns !== null && runsCount >= maxRuns)
    return pause(schedule, `It has started ${runsCount} ${runsCount === 1 ? 'run' : 'runs'}, as max_runs says.`);
  if (slot === undefined) return pause(schedule, 'It has no further times.');
  schedule.isActive = true;
  schedule.pauseReason = null;
  schedule.nextRunAt = slot;
}

/** Plans the first slot after a time, as `planNext` does. */
export function planAfter(schedule: Schedule, after: Date): void {
  planNext(schedule, nextSlot(schedule, after));
}

/** Why a schedule without an agent starts no runs. */
export const NO_AGENT = 'It has no agent.';

/**
 * Lets a schedule start no more runs; `reason` says why in words, null when a person wants it. One without an agent
 * says that.
 */
export function pause(schedule: Schedule, reason: string | null): void {
  schedule.isActive = false;
  schedule.pauseReason = schedule.agentId === null ? NO_AGENT : reason;
  schedule.nextRunAt = null;
}

/** The schedules of one user with which agents add no further one. */
const MAX_SCHEDULES_FOR_AGENTS = 50;

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
