export { deliveryKeyOf } from './trigger-workflow.ts';
export { agentBoundOf, checkMaySetWebhooks } from './runs.ts';
export { runStatus, runTrigger, startedRunSchema } from './schema.ts';
