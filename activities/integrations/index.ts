export { createTryIntegration, type TryIntegrationDeps } from './try-integration.ts';
