export { apiUrlOf, gitUrlOf, isWithin } from './address.ts';
export { INTEGRATION_KIND_KEYS, integrationKind, type IntegrationKindKey, type TestRequest } from './kinds.ts';
export type { KnownIntegration, Secrets } from './known-integration.ts';
export { SECRET_PLACES, type SecretPlace } from './secret-places.ts';
