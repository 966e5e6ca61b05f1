import { browserSessionRoutes } from './browser-session.ts';
import { cliRoutes } from './cli-routes.ts';
import { loginRoute, logoutRoute, refreshRoute } from './sessions.ts';
import { registerRoute } from './register.ts';
import { setPasswordRoute } from './set-password.ts';

export const authRoutes = [
  registerRoute,
  loginRoute,
  refreshRoute,
  logoutRoute,
  setPasswordRoute,
  ...browserSessionRoutes,
  ...cliRoutes,
];
