export { AgentWorkflow } from './agent-workflow.entity.ts';
export {
  createAgentWorkflow,
  deleteAgentWorkflow,
  getAgentWorkflow,
  listAgentWorkflows,
  lockAgentWorkflow,
  setActive,
  updateAgentWorkflow,
} from './agent-workflows.ts';
export { type CreatedRun, createRun } from './runs/create-run.ts';
export { setDue, takeDueRuns } from './runs/due-runs.ts';
export { endRun, startQueuedRuns } from './runs/end-run.ts';
export { requestRunInterrupt } from './runs/interrupt-run.ts';
export { getRun, listRuns } from './runs/list-runs.ts';
export { purgeOldRuns } from './runs/purge-runs.ts';
export { readOutputs, readRunState, type RunRef, type RunState } from './runs/run-state.ts';
export { askForStep, decideStep, readApprovedPrompt, stepNewsOf } from './runs/step-approvals.ts';
export { findWebhook } from './webhook.ts';
export { openWebhookSecret } from './webhook-secret.ts';
