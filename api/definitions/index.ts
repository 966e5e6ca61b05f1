export { checkOverride, checkScript, checkStandIn } from './checks/index.ts';
export { reasonsOf } from './availability.ts';
