export { AgentWorkflow } from './agent-workflow.entity.ts';
export {
  type AgentWorkflowChanges,
  type AgentWorkflowFields,
  createAgentWorkflow,
  deleteAgentWorkflow,
  getAgentWorkflow,
  listAgentWorkflows,
  lockAgentWorkflow,
  setActive,
  takeOver,
  updateAgentWorkflow,
  type WorkflowActor,
  type WorkflowRef,
} from './agent-workflows.ts';
export { advanceRun } from './decisions/advance-run.ts';
export { announceWait } from './decisions/ask-for-step.ts';
export { decideRun } from './decisions/decide-run.ts';
export type { RunDeps } from './decisions/run-deps.ts';
export { type RunnableWorkflow, startRun, type TriggerDeps, triggerRun } from './decisions/trigger-run.ts';
export { type CreatedRun, createRun, findRunByKey, type RunLimits } from './runs/create-run.ts';
export { startQueuedRuns } from './runs/end-run.ts';
export { requestRunInterrupt } from './runs/interrupt-run.ts';
export { getRun, listRuns, type Run, RUN_STATUS } from './runs/list-runs.ts';
export { wakeWaitingRuns } from './runs/wake-waiting-runs.ts';
export { dequeueRuns } from './runs/run-queue.ts';
export { purgeOldRuns } from './runs/purge-runs.ts';
export { requireOwnStart } from './runs/started-by-agent.ts';
export { readOutputs, readRunState, type RunRef } from './runs/run-state.ts';
export { findOverdueRuns, forgetSeenRuns, noteSeen, noteSeenEnd, type OverdueRun } from './runs/seen-runs.ts';
export { askForStep, decideStep, readApprovedPrompt, stepNewsOf } from './runs/step-approvals.ts';
export { interruptOpenRuns, interruptRun, readOpenRuns, readSlotsWithRun } from './schedule-runs/open-runs.ts';
export { SCHEDULE_RUN_STATUS } from './schedule-runs/shown-run.ts';
export { type NewScheduleRun, storeFailedRun, storeScheduleRun } from './schedule-runs/store-run.ts';
export { type AgentBound, runIsVisible } from './visible.ts';
export { findWebhook, findWebhookWork } from './webhook.ts';
export { workflowSecrets } from './webhook-secret.ts';
