export { checkOverride, checkScript, checkStandIn, checkToolApproval } from './checks/index.ts';
export { problemsOf } from './usability.ts';
