export { checkOverride } from './rules.ts';
