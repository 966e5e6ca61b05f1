import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { orgRoute } from '../core/routing/route-roots.ts';
import { choiceParam, textParam } from '../core/routing/search.ts';

const inbox = createRoute({
  getParentRoute: () => orgRoute,
  path: '/inbox',
  validateSearch: (search) => ({
    ...choiceParam(search, 'view', ['decided', 'failed']),
    ...choiceParam(search, 'status', ['approved', 'denied', 'expired', 'cancelled', 'outdated']),
    ...textParam(search, 'id'),
  }),
  component: lazyRouteComponent(async () => import('./inbox-page.tsx'), 'InboxPage'),
});

/** The page of what waits for a person. */
export const inboxRoutes = [inbox] as const;
