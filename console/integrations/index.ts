export { useIntegrations } from './queries.ts';
