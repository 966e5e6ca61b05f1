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
  type AgentBound,
  runIsVisible,
  workflowSecrets,
} from './agent-workflows.ts';
export { advanceRun, announceWait, decideRun, type RunDeps } from './decisions/decide-run.ts';
export {
  type RunnableWorkflow,
  startRun,
  type TriggerDeps,
  triggerRun,
  findWebhook,
  findWebhookWork,
} from './decisions/trigger-run.ts';
export { type CreatedRun, createRun, findRunByKey, type RunLimits } from './runs/create-run.ts';
export { startQueuedRuns } from './runs/end-run.ts';
export { requestRunInterrupt, getRun, listRuns, type Run, RUN_STATUS } from './runs/list-runs.ts';
export {
  wakeWaitingRuns,
  dequeueRuns,
  findOverdueRuns,
  forgetSeenRuns,
  noteSeen,
  noteSeenEnd,
  type OverdueRun,
} from './runs/run-queue.ts';
export { purgeOldRuns } from './runs/purge-runs.ts';
export { requireOwnStart } from './runs/started-by-agent.ts';
export { readOutputs, readRunState, type RunRef } from './runs/run-state.ts';
export { askForStep, decideStep, readApprovedPrompt, stepNewsOf } from './runs/step-approvals.ts';
export {
  interruptOpenRuns,
  interruptRun,
  readOpenRuns,
  readSlotsWithRun,
  SCHEDULE_RUN_STATUS,
  type NewScheduleRun,
  storeFailedRun,
  storeScheduleRun,
} from './schedule-runs.ts';
