export { presentOrg } from './present-org.ts';
export { orgRoutes } from './routes.ts';
export { orgSchema } from './schema.ts';
