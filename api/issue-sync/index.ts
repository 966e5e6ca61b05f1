export { issueSyncRoutes } from './routes.ts';
export { signingKeyOf } from './webhook-secret.ts';
