export { createAuthLimits } from './limits.ts';
export { authRoutes } from './routes.ts';
