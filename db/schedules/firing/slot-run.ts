import type { EntityManager } from '@mikro-orm/postgresql';
import { workOfRun } from '../../../domain/agent-workflows.ts';
import { AppError } from '../../../domain/core/app-error.ts';
import { AgentWorkflow, type NewScheduleRun } from '../../agent-workflows/index.ts';
import { runOf } from '../run-of.ts';
import type { Schedule } from '../schedule.entity.ts';

/** A slot of a schedule, and in whose name it starts a run. */
interface Slot {
  readonly schedule: Schedule;
  readonly ownerId: string;
  readonly slot: Date;
}

/** Returns the run that a slot starts. */
export function runOfSlot({ schedule, ownerId: userId, slot }: Slot, isQueued: boolean): NewScheduleRun {
  const triggeredBy = schedule.workflowId === null ? 'cron' : 'schedule';
  return { ...runOf(schedule, slot), userId, triggeredBy, slot, isQueued };
}

/**
 * Gives the run of a workflow's schedule the prompts that the workflow has now, and a place in its queue where it has
 * one. Returns the error that says so when the first prompt would be empty.
 */
export async function withWork(
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
