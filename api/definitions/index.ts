export { checkOverride, checkScript, checkStandIn, checkToolApproval } from './checks/index.ts';
export { reasonsOf } from './availability.ts';
