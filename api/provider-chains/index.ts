export { providerChainRoutes } from './routes.ts';
