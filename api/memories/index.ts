export { memoryRoutes } from './routes.ts';
