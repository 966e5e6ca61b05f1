import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { orgRoute } from '../core/routing/route-roots.ts';
import { textParam } from '../core/routing/search.ts';

const search = createRoute({
  getParentRoute: () => orgRoute,
  path: '/search',
  validateSearch: (given) => textParam(given, 'q'),
  component: lazyRouteComponent(async () => import('./search-page.tsx'), 'SearchPage'),
});

/** The search through what the organization has. */
export const searchRoutes = [search] as const;
