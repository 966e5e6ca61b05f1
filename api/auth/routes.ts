import { browserSessionRoutes } from './browser/browser-session.ts';
import { cliRoutes } from './cli-routes.ts';
import { loginRoute } from './login.ts';
import { logoutRoute } from './logout.ts';
import { refreshRoute } from './refresh.ts';
import { registerRoute } from './registration/register.ts';
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
