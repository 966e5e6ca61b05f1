import { type EntityManager, LockMode, type RequiredEntityData } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { replaceKind, requireTiming, requireZone } from '../../domain/schedules/timing.ts';
import { WORKFLOW_OVERLAPS, type WorkflowOverlap } from '../../domain/schedules/decide-slot.ts';
import type { AgentWorkflow } from '../agent-workflows/agent-workflow.entity.ts';
import { afterCommit } from '../core/after-commit.ts';
import type { Database } from '../core/database.ts';
import { withOrgTransaction } from '../core/transactions.ts';
import { pause, planAfter, planNext, SCHEDULE_DEFAULTS, type ScheduleFields } from './schedules.ts';
import { Schedule } from './schedule.entity.ts';

/** When a workflow starts runs by itself. */
export type WorkflowTimes = Pick<
  ScheduleFields,
  'cronExpr' | 'intervalMinutes' | 'timezone' | 'catchupMinutes' | 'jitterSeconds'
> & { readonly overlap: WorkflowOverlap };

/** Columns that schedules of workflows do not use. */
const FIXED = {
  description: null,
  prompt: '',
  pauseOnFailure: false,
  startAt: null,
  endAt: null,
  maxRuns: null,
  keepRunsDays: 1,
  runsCount: 0,
  isActive: false,
  pauseReason: null,
  nextRunAt: null,
};

/** Returns the schedules of workflows, by the ids of those. */
export async function readWorkflowSchedules(
  database: Database,
  orgId: string,
  workflowIds: readonly string[],
): Promise<ReadonlyMap<string, Schedule>> {
  const found = await withOrgTransaction(database, orgId, async (em) =>
    em.find(Schedule, { workflowId: { $in: [...workflowIds] } }),
  );
  return new Map(found.map((schedule) => [schedule.workflowId ?? '', schedule]));
}

/** Returns the schedule of a locked workflow, locked as well; null without one. */
export async function lockWorkflowSchedule(em: EntityManager, workflowId: string): Promise<Schedule | null> {
  return em.findOne(Schedule, { workflowId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

/** Returns the times of a workflow, and those that it would begin with while it has no schedule. */
export function timesOfWorkflow(schedule: Schedule | null | undefined): WorkflowTimes {
  const { cronExpr, intervalMinutes, timezone, catchupMinutes, jitterSeconds } = schedule ?? SCHEDULE_DEFAULTS;
  const overlap = WORKFLOW_OVERLAPS.find((each) => each === schedule?.overlap) ?? SCHEDULE_DEFAULTS.overlap;
  return { cronExpr, intervalMinutes, timezone, overlap, catchupMinutes, jitterSeconds };
}

/**
 * Changes the given times of a locked workflow with a locked schedule, if it has one. Returns its schedule: null while
 * it has neither a cron line nor an interval.
 */
export async function changeWorkflowTimes(
  em: EntityManager,
  workflow: AgentWorkflow,
  stored: Schedule | null,
  given: Partial<WorkflowTimes>,
): Promise<Schedule | null> {
  const times = { ...timesOfWorkflow(stored), ...replaceKind(given) };
  requireZone(times.timezone);
  if (times.cronExpr === null && times.intervalMinutes === null) {
    if (stored === null) return null;
    await em.nativeDelete(Schedule, { id: stored.id });
    afterCommit(em, { dueWork: [{ kind: 'schedule', orgId: stored.orgId, scheduleId: stored.id }] });
    return null;
  }
  requireTiming({ ...times, startAt: null, endAt: null });
  if (stored !== null) return changeStored(em, workflow, stored, times);
  const { id: workflowId, orgId, ownerId, agentId, name } = workflow;
  const data = { ...FIXED, ...times, id: uuidv7(), orgId, workflowId, ownerId, agentId, name, createdAt: new Date() };
  const added = em.create(Schedule, data as RequiredEntityData<Schedule>, { persist: true });
  return followWorkflow(added, workflow, { isRestarted: true });
}

// A slot that is due stays so when only the rules change.
function changeStored(em: EntityManager, workflow: AgentWorkflow, stored: Schedule, times: WorkflowTimes): Schedule {
  const before = slotsOf(stored);
  const schedule = em.assign(stored, times);
  const isRestarted = before !== slotsOf(schedule);
  followWorkflow(schedule, workflow, { isRestarted });
  if (schedule.isActive && !isRestarted) planNext(schedule, schedule.nextRunAt ?? undefined);
  return schedule;
}

function slotsOf({ cronExpr, intervalMinutes, timezone }: Schedule): string {
  return JSON.stringify([cronExpr, intervalMinutes, timezone]);
}

/**
 * Syncs the locked schedule of a workflow with the workflow. It starts runs while the workflow is active and triggered
 * by a schedule, in the name of its owner. A schedule that failures have paused resumes when it is restarted, or gets
 * another owner.
 */
export function followWorkflow(
  schedule: Schedule,
  { ownerId, agentId, name, isActive, triggerType }: AgentWorkflow,
  { isRestarted }: { readonly isRestarted: boolean },
): Schedule {
  const hasPaused = schedule.pauseReason !== null && !isRestarted && schedule.ownerId === ownerId;
  Object.assign(schedule, { ownerId, agentId, name });
  if (!isActive || triggerType !== 'schedule') pause(schedule, null);
  else if (isRestarted || (!schedule.isActive && !hasPaused)) planAfter(schedule, new Date());
  return schedule;
}
