export { checkOverride } from './rules.ts';
export { problemsOf } from './usability.ts';
