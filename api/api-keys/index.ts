export { apiKeyRoutes } from './routes.ts';
