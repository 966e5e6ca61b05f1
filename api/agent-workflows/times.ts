import type { EntityManager } from '@mikro-orm/postgresql';
import { type AgentWorkflow, takeOver } from '../../db/agent-workflows/index.ts';
import {
  followWorkflow,
  lockWorkflowSchedule,
  type Schedule,
  SCHEDULE_DEFAULTS,
  setWorkflowTimes,
  type WorkflowTimes,
} from '../../db/schedules/index.ts';
import type { Membership } from '../../domain/orgs/index.ts';
import { replaceKind, requireTiming, requireZone, WORKFLOW_OVERLAPS } from '../../domain/schedules/index.ts';
import { fieldIssue } from '../http/problem.ts';

const { cronExpr, intervalMinutes, timezone, overlap, catchupMinutes, jitterSeconds } = SCHEDULE_DEFAULTS;
const DEFAULTS: WorkflowTimes = { cronExpr, intervalMinutes, timezone, overlap, catchupMinutes, jitterSeconds };

/** Returns the times in the fields of a request, and the other fields. */
export function takeTimes<T extends Partial<WorkflowTimes>>({
  cronExpr,
  intervalMinutes,
  timezone,
  overlap,
  catchupMinutes,
  jitterSeconds,
  ...fields
}: T) {
  const given = { cronExpr, intervalMinutes, timezone, overlap, catchupMinutes, jitterSeconds };
  const times = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { times: times as Partial<WorkflowTimes>, fields };
}

/**
 * Gives a locked workflow the times of a request, and returns its schedule: null while it has neither a cron line nor
 * an interval.
 */
export async function changeTimes(
  em: EntityManager,
  workflow: AgentWorkflow,
  given: Partial<WorkflowTimes>,
): Promise<Schedule | null> {
  const stored = await lockWorkflowSchedule(em, workflow.id);
  const times = { ...(stored === null ? DEFAULTS : timesOf(stored)), ...replaceKind(given) };
  requireZone(times.timezone);
  if (times.cronExpr === null && times.intervalMinutes === null) return setWorkflowTimes(em, workflow, null);
  requireTiming({ ...times, startAt: null, endAt: null });
  return setWorkflowTimes(em, workflow, times);
}

/**
 * Has the schedule of a locked workflow, which was changed, follow it, with the times of the same request. Who changes
 * the times becomes the owner: they say when runs begin in whose name.
 */
export async function followChanges(
  em: EntityManager,
  { userId }: Membership,
  workflow: AgentWorkflow,
  times: Partial<WorkflowTimes>,
): Promise<Schedule | null> {
  const schedule = await lockWorkflowSchedule(em, workflow.id);
  const before = Object.entries(schedule === null ? DEFAULTS : timesOf(schedule));
  const given = new Map(Object.entries(times));
  if (before.some(([name, value]) => given.has(name) && given.get(name) !== value)) {
    takeOver(workflow, userId, 'unprocessable');
    const changed = await changeTimes(em, workflow, times);
    requireTimes(workflow, changed);
    return changed;
  }
  return schedule && followWorkflow(schedule, workflow, { isRestarted: false });
}

/** Rejects an active workflow that times are to trigger and that has none: it would never begin a run. */
export function requireTimes({ isActive, triggerType }: AgentWorkflow, schedule: Schedule | null): void {
  if (!isActive || triggerType !== 'schedule' || schedule !== null) return;
  throw fieldIssue('cron_expr', 'is required, or interval_minutes, for an active workflow that times trigger');
}

/** Returns the times of a workflow, and those that it would begin with when it has none. */
export function shownTimes(schedule: Schedule | undefined) {
  if (schedule === undefined) return { ...DEFAULTS, nextRunAt: null, pauseReason: null };
  return { ...timesOf(schedule), nextRunAt: schedule.nextRunAt, pauseReason: schedule.pauseReason };
}

function timesOf(schedule: Schedule): WorkflowTimes {
  const { cronExpr, intervalMinutes, timezone, catchupMinutes, jitterSeconds } = schedule;
  const overlap = WORKFLOW_OVERLAPS.find((each) => each === schedule.overlap) ?? DEFAULTS.overlap;
  return { cronExpr, intervalMinutes, timezone, overlap, catchupMinutes, jitterSeconds };
}
