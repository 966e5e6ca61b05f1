export { deliveryKeyOf } from './delivery-key.ts';
export { agentBoundOf } from './rules.ts';
export { startedRunSchema } from './schema.ts';
