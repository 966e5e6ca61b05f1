export { checkOverride, checkScript, checkStandIn } from './rules.ts';
export { problemsOf } from './usability.ts';
