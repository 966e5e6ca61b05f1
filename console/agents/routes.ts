import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { orgRoute } from '../core/routing/route-roots.ts';
import { textParam } from '../core/routing/search.ts';

const agents = createRoute({
  getParentRoute: () => orgRoute,
  path: '/agents',
  validateSearch: (search) => textParam(search, 'q'),
  component: lazyRouteComponent(async () => import('./agents-page.tsx'), 'AgentsPage'),
});

/** The pages of agents. */
export const agentsRoutes = [agents] as const;
