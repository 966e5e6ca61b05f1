export { deliveryKeyOf } from './delivery-key.ts';
export { agentBoundOf, checkMaySetWebhooks } from './rules.ts';
export { runStatus, runTrigger, startedRunSchema } from './schema.ts';
