import type { EntityManager } from '@mikro-orm/postgresql';
import { rejectFaults } from '../domain/core/app-error.ts';
import type { Membership, OrgLimits } from '../domain/orgs.ts';
import type { AgentWorkflow } from './agent-workflows/agent-workflow.entity.ts';
import {
  type AgentWorkflowChanges,
  type AgentWorkflowFields,
  createAgentWorkflow,
  deleteAgentWorkflow,
  lockAgentWorkflow,
  setActive,
  takeOver,
  updateAgentWorkflow,
  type WorkflowActor,
  type WorkflowRef,
} from './agent-workflows/agent-workflows.ts';
import type { SecretBox } from './core/secret-box.ts';
import { requireRoom } from './orgs/require-room.ts';
import {
  changeWorkflowTimes,
  followWorkflow,
  lockWorkflowSchedule,
  timesOfWorkflow,
  type WorkflowTimes,
} from './schedules/workflow-schedule.ts';
import type { Schedule } from './schedules/schedule.entity.ts';

// Every interface changes workflows through these functions, once it has checked that its caller has
// `schedules.manage`, in the transaction of their caller, who may store a webhook with the workflow.

/** The changeable fields of a workflow and its times. */
type WorkflowChanges = AgentWorkflowChanges & Partial<WorkflowTimes>;

/** Adds a workflow with its times. It is inactive and belongs to its creator. */
export async function createWorkflow(
  em: EntityManager,
  { box, orgLimits }: { readonly box: SecretBox; readonly orgLimits: OrgLimits },
  actor: WorkflowActor,
  given: AgentWorkflowFields & WorkflowChanges,
): Promise<AgentWorkflow> {
  const { times, fields } = takeTimes(given);
  await requireRoom(em, actor.orgId, 'workflows', orgLimits);
  const workflow = await createAgentWorkflow(em, box, actor, fields);
  await em.flush();
  await changeWorkflowTimes(em, workflow, null, times);
  return workflow;
}

/**
 * Changes the given fields and times of a workflow only. Who changes what its runs do, when they begin or who can start
 * them, becomes its owner.
 */
export async function updateWorkflow(
  em: EntityManager,
  box: SecretBox,
  actor: WorkflowActor,
  { id, expected, changes }: Pick<WorkflowRef, 'id' | 'expected'> & { readonly changes: WorkflowChanges },
): Promise<AgentWorkflow> {
  const { times, fields } = takeTimes(changes);
  const { allowedAgentIds, userId } = actor;
  const workflow = await lockAgentWorkflow(em, { id, expected, allowedAgentIds });
  const { triggerType } = workflow;
  await updateAgentWorkflow(em, box, actor, { workflow, changes: fields });
  let schedule = await lockWorkflowSchedule(em, id);
  const before = timesOfWorkflow(schedule);
  const hasOtherTimes = Object.entries(times).some(([name, value]) => Reflect.get(before, name) !== value);
  if (hasOtherTimes) {
    takeOver(workflow, userId, 'unprocessable');
    schedule = await changeWorkflowTimes(em, workflow, schedule, times);
  } else if (schedule !== null) followWorkflow(schedule, workflow, { isRestarted: false });
  // One that was active without times before can still be changed otherwise.
  if (hasOtherTimes || workflow.triggerType !== triggerType) requireTimes(workflow, schedule);
  // They are kept elsewhere.
  if (hasOtherTimes) workflow.updatedAt = new Date();
  return workflow;
}

/** Lets the webhook or the times of a workflow start runs, in the name of the user who lets them, or no longer. */
export async function setWorkflowActive(
  em: EntityManager,
  member: Membership,
  ref: WorkflowRef,
  isActive: boolean,
): Promise<AgentWorkflow> {
  const workflow = await lockAgentWorkflow(em, ref);
  const schedule = await lockWorkflowSchedule(em, ref.id);
  // A schedule that failures have paused resumes in the name of whoever resumes it.
  if (schedule !== null && schedule.pauseReason !== null) workflow.isActive = false;
  // A time that is due at this instant stays so while nothing changes.
  const isRestarted = isActive && !workflow.isActive;
  setActive(member, workflow, isActive);
  requireTimes(workflow, schedule);
  if (schedule !== null) followWorkflow(schedule, workflow, { isRestarted });
  return workflow;
}

/** Deletes a workflow with its times and its runs, whose turns are asked to stop. Their conversations stay. */
export async function deleteWorkflow(em: EntityManager, ref: WorkflowRef): Promise<void> {
  await deleteAgentWorkflow(em, await lockAgentWorkflow(em, ref));
}

function takeTimes<T extends Partial<WorkflowTimes>>({
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

// An active workflow that times are to trigger, and that has none, would never begin a run.
function requireTimes({ isActive, triggerType }: AgentWorkflow, schedule: Schedule | null): void {
  if (!isActive || triggerType !== 'schedule' || schedule !== null) return;
  const message = 'is required, or interval_minutes, while a workflow with the trigger_type schedule is active';
  rejectFaults([{ path: ['cronExpr'], message }]);
}
