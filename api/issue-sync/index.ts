export { issueSyncRoutes } from './routes.ts';
export { signingKeyOf } from './receive-delivery.ts';
