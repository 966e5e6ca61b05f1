export { createFinishIntegrationSignIn, type SignInDeps } from './finish-sign-in.ts';
export { HeldSecrets } from './held-secrets.ts';
export { openCredentials } from './open-credentials.ts';
export { createRevokeGrant } from './revoke-grant.ts';
export { TokenFailure } from './tokens/token-failure.ts';
export { createTryIntegration } from './try-integration.ts';
