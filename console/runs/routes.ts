import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { orgRoute } from '../core/routing/route-roots.ts';
import { choiceParam, textParam } from '../core/routing/search.ts';

const runs = createRoute({
  getParentRoute: () => orgRoute,
  path: '/runs',
  validateSearch: (search) => ({
    ...choiceParam(search, 'status', ['queued', 'running', 'waiting', 'completed', 'failed', 'interrupted']),
    ...choiceParam(search, 'kind', ['workflow', 'schedule']),
    ...choiceParam(search, 'by', ['manual', 'webhook', 'schedule', 'agent']),
    ...textParam(search, 'agent'),
    ...textParam(search, 'id'),
  }),
  component: lazyRouteComponent(async () => import('./runs-page.tsx'), 'RunsPage'),
});

/** The page of all runs. */
export const runsRoutes = [runs] as const;
