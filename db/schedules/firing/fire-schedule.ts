import { type EntityManager, LockMode } from '@mikro-orm/postgresql';
import { AppError } from '../../../domain/core/app-error.ts';
import { decideSlot, jitteredTime } from '../../../domain/schedules/index.ts';
import {
  interruptOpenRuns,
  type RunLimits,
  readOpenRuns,
  storeFailedRun,
  storeScheduleRun,
} from '../../agent-workflows/index.ts';
import { type Database, withOrgTransaction } from '../../core/index.ts';
import { pause, planNext } from '../plan-next.ts';
import { Schedule } from '../schedule.entity.ts';
import type { DueSchedule } from './due-schedules.ts';
import { runOfSlot, withWork } from './slot-run.ts';
import { unrunnableReason } from './unrunnable.ts';

/** A slot of a locked schedule that is due. */
interface Firing {
  readonly schedule: Schedule;
  readonly ownerId: string;
  readonly slot: Date;
  readonly now: Date;
  readonly limits: RunLimits;
}

/**
 * Decides about the slot of a schedule that is due, and stores its run and the next slot with it: whoever changes,
 * stops or deletes the schedule at this instant does so before, or after. Returns the runs that may be moved.
 */
export async function fireSchedule(
  database: Database,
  { orgId, scheduleId }: DueSchedule,
  now: Date,
  limits: RunLimits,
): Promise<readonly string[]> {
  return withOrgTransaction(database, orgId, async (em) => {
    // Whoever changes a workflow locks it before its schedule.
    await em.execute(LOCK_WORKFLOW, [scheduleId]);
    const schedule = await em.findOne(Schedule, { id: scheduleId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (schedule === null || schedule.nextRunAt === null) return [];
    const dueAt = jitteredTime(scheduleId, schedule.nextRunAt, schedule.jitterSeconds);
    schedule.dueAt = dueAt;
    if (dueAt > now) return [];
    const reason = await unrunnableReason(em, schedule);
    if (reason !== undefined || schedule.ownerId === null) {
      pause(schedule, reason ?? null);
      return [];
    }
    return fire(em, { schedule, ownerId: schedule.ownerId, slot: schedule.nextRunAt, now, limits });
  });
}

const LOCK_WORKFLOW = `select from agent_workflows where id = (select workflow_id from schedules where id = ?)
  for no key update`;

async function fire(em: EntityManager, firing: Firing): Promise<readonly string[]> {
  const { schedule, slot, now } = firing;
  const { overlap, catchupMinutes, jitterSeconds } = schedule;
  const open = await readOpenRuns(em, schedule.id, slot);
  const { kind, next } = decideSlot({ timing: schedule, slot, overlap, catchupMinutes, jitterSeconds, open }, now);
  // A slot that was made up by hand before has its run.
  if (kind === 'skip' || open.hasSlot) {
    planNext(schedule, next);
    return [];
  }
  const stopped = kind === 'replace' ? await interruptOpenRuns(em, schedule.id) : [];
  const begun = await storeRun(em, firing, kind === 'queue');
  schedule.runsCount += 1;
  if (begun === undefined && schedule.pauseOnFailure) pause(schedule, 'A run failed.');
  else planNext(schedule, next);
  return begun === undefined ? stopped : [...stopped, begun];
}

// Without room the slot has a run as well, which says why it failed.
async function storeRun(
  em: EntityManager,
  { schedule, ownerId, slot, limits }: Firing,
  isQueued: boolean,
): Promise<string | undefined> {
  const { workflowId } = schedule;
  const run = runOfSlot({ schedule, ownerId, slot }, isQueued);
  const work = await withWork(em, run, workflowId);
  const stored = work instanceof AppError ? work : await storeScheduleRun(em, work, limits);
  if (!(stored instanceof AppError)) return stored;
  await storeFailedRun(em, run, { workflowId, error: `${stored.message}.` });
  return undefined;
}
