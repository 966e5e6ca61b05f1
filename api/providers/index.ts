export { providerRoutes } from './routes.ts';
