import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { orgRoute } from '../core/routing/route-roots.ts';
import { textParam } from '../core/routing/search.ts';

const trace = createRoute({
  getParentRoute: () => orgRoute,
  path: '/chats/$chatId/turns/$turnId',
  validateSearch: (search) => textParam(search, 'step'),
  component: lazyRouteComponent(async () => import('./trace-page.tsx'), 'TracePage'),
});

/** The page of what happened in a turn. */
export const tracesRoutes = [trace] as const;
