export { createAuthLimits } from './limits.ts';
