import { type EntityManager, LockMode } from '@mikro-orm/postgresql';
import { stepsOf, workOfRun } from '../../../domain/agent-workflows.ts';
import { AppError } from '../../../domain/core/app-error.ts';
import { missedWords } from '../../../domain/destinations.ts';
import { AgentWorkflow } from '../../agent-workflows/agent-workflow.entity.ts';
import {
  interruptOpenRuns,
  type NewScheduleRun,
  readOpenRuns,
  storeFailedRun,
  storeScheduleRun,
} from '../../agent-workflows/schedule-runs.ts';
import type { RunLimits } from '../../agent-workflows/runs/create-run.ts';
import { runOf } from '../runs.ts';
import { lockDestinationsOf, reportMissed } from '../../webhooks/report-missed.ts';
import { Schedule } from '../schedule.entity.ts';
import type { ScheduleKey } from '../../../domain/core/due-work.ts';
import { decideSlot } from '../../../domain/schedules/decide-slot.ts';
import { jitteredTime } from '../../../domain/schedules/timing.ts';
import type { Database } from '../../core/database.ts';
import { withOrgTransaction } from '../../core/transactions.ts';
import { NO_AGENT, pause, planNext } from '../schedules.ts';
import { allowedIds } from '../../../domain/permissions/restrict.ts';
import { namePermissions } from '../../../domain/permissions/keys.ts';
import { policyAllows } from '../../../domain/permissions/policy.ts';
import { findPolicy } from '../../permissions/for-turn.ts';

/** A slot of a locked schedule that is due. */
interface Firing {
  readonly schedule: Schedule;
  readonly ownerId: string;
  readonly slot: Date;
  readonly now: Date;
  readonly limits: RunLimits;
}

/** The result of the oldest undecided slot of a schedule. */
interface Fired {
  /** The runs that may begin or are to stop. */
  readonly begun: readonly string[];
  /** The next slot, and when it is due; absent while the schedule is not active. */
  readonly next?: { readonly slot: Date; readonly dueAt: Date };
}

/**
 * Decides about the oldest slot of a schedule that has not been decided, if it is due, and stores its run and the next
 * slot with it: a concurrent change, stop or deletion of the schedule happens before, or after. `undefined` when there
 * is no such schedule.
 */
export async function fireSchedule(
  database: Database,
  { orgId, scheduleId }: ScheduleKey,
  now: Date,
  limits: RunLimits,
): Promise<Fired | undefined> {
  return withOrgTransaction(database, orgId, async (em) => {
    // Whoever changes a workflow locks it before its schedule.
    await em.execute(LOCK_WORKFLOW, [scheduleId]);
    const schedule = await em.findOne(Schedule, { id: scheduleId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (schedule === null) return undefined;
    const { ownerId } = schedule;
    const due = nextOf(schedule);
    if (due === undefined || due.dueAt > now) return firedOf(schedule, []);
    const reason = await unrunnableReason(em, schedule);
    if (reason !== undefined || ownerId === null) {
      pause(schedule, reason ?? null);
      await reportPaused(em, schedule, now);
      return firedOf(schedule, []);
    }
    return firedOf(schedule, await fire(em, { schedule, ownerId, slot: due.slot, now, limits }));
  });
}

function firedOf(schedule: Schedule, begun: readonly string[]): Fired {
  const next = nextOf(schedule);
  return { begun, ...(next !== undefined && { next }) };
}

function nextOf({ id, nextRunAt: slot, jitterSeconds }: Schedule): Fired['next'] {
  return slot === null ? undefined : { slot, dueAt: jitteredTime(id, slot, jitterSeconds) };
}

const LOCK_WORKFLOW = `select from agent_workflows where id = (select workflow_id from schedules where id = ?)
  for no key update`;

async function fire(em: EntityManager, firing: Firing): Promise<readonly string[]> {
  const { schedule, slot, now } = firing;
  const { overlap, catchupMinutes, jitterSeconds } = schedule;
  const open = await readOpenRuns(em, schedule.id, slot);
  const due = { timing: schedule, slot, overlap, catchupMinutes, jitterSeconds, open };
  const { kind, next, missed } = decideSlot(due, now);
  if (missed !== undefined) {
    const reason = missedWords(missed, schedule);
    await reportMissed(em, schedule, { kind: 'missed', at: missed.first.toISOString(), reason });
  }
  // A slot that was backfilled before has its run.
  if (kind === 'miss' || kind === 'skip' || open.hasSlot) {
    planNext(schedule, next);
    return [];
  }
  const stopped = kind === 'replace' ? await interruptOpenRuns(em, schedule.id) : [];
  const begun = await storeRun(em, firing, kind === 'queue');
  schedule.runsCount += 1;
  if (begun === undefined && schedule.pauseOnFailure) {
    pause(schedule, 'A run failed.');
    await reportPaused(em, schedule, now);
  } else planNext(schedule, next);
  return begun === undefined ? stopped : [...stopped, begun];
}

async function reportPaused(em: EntityManager, schedule: Schedule, now: Date): Promise<void> {
  const reason = schedule.pauseReason;
  if (reason !== null) await reportMissed(em, schedule, { kind: 'paused', at: now.toISOString(), reason });
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
  if (schedule.pauseOnFailure) await lockDestinationsOf(em, schedule.id);
  await storeFailedRun(em, run, { workflowId, error: `${stored.message}.` });
  return undefined;
}

/** Returns why a schedule cannot start runs any more, in words; `undefined` when it can. */
async function unrunnableReason(em: EntityManager, schedule: Schedule): Promise<string | undefined> {
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

/** A slot of a schedule, and in whose name it starts a run. */
interface Slot {
  readonly schedule: Schedule;
  readonly ownerId: string;
  readonly slot: Date;
}

/** Returns the run that a slot starts. */
function runOfSlot({ schedule, ownerId: userId, slot }: Slot, isQueued: boolean): NewScheduleRun {
  const triggeredBy = schedule.workflowId === null ? 'cron' : 'schedule';
  return { ...runOf(schedule, slot), userId, triggeredBy, slot, isQueued };
}

/**
 * Gives the run of a workflow's schedule the prompts that the workflow has now, and a position in its queue where it
 * has one. Returns the error that says so when the first prompt would be empty.
 */
async function withWork(
  em: EntityManager,
  run: NewScheduleRun,
  workflowId: string | null,
): Promise<NewScheduleRun | AppError> {
  if (workflowId === null) return run;
  const workflow = await em.findOneOrFail(AgentWorkflow, { id: workflowId });
  const { timeLimitMinutes, maxConcurrentRuns } = workflow;
  try {
    const { agentId, prompt, ...work } = workOfRun(workflow, {});
    const isQueued = maxConcurrentRuns !== null;
    return { ...run, agentId, prompt, isQueued, workflow: { id: workflowId, timeLimitMinutes, ...work } };
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
