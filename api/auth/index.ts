export { createAuthLimits } from './limits.ts';
export { createSetupToken, logSetupToken } from './register.ts';
