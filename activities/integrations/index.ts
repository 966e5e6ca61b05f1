export { createFinishIntegrationSignIn, createRevokeGrant, type SignInDeps } from './finish-sign-in.ts';
export { HeldSecrets, openCredentials } from './open-credentials.ts';
export { TokenFailure } from './request-token.ts';
export { createTryIntegration } from './try-integration.ts';
