export { type RunWork, workOfRun } from './first-prompt.ts';
export { nextTransition, type RunTransition, type RunTurn, type StepApproval } from './next-transition.ts';
export {
  type FinalRunStatus,
  RUN_STATUSES,
  RUN_TRIGGERS,
  type RunStatus,
  type RunTrigger,
  TRIGGER_TYPES,
  type TriggerType,
} from './run-status.ts';
export { stepsIssue, stepsOf, variablesOf, type WorkflowStep } from './steps.ts';
export { namesIn, renderTemplate, stepOfName } from './template.ts';
