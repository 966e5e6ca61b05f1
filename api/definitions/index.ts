export { checkOverride, checkScript, checkStandIn } from './checks/index.ts';
export { isOnlyInChats, reasonsOf } from './availability.ts';
