export { createAuthLimits } from './limits.ts';
export { createSetupToken, logSetupToken } from './registration/setup-token.ts';
