export { orgRoutes } from './routes.ts';
export { orgSchema } from './schema.ts';
