import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { orgRoute } from '../core/routing/route-roots.ts';
import { textParam } from '../core/routing/search.ts';

const destinations = createRoute({
  getParentRoute: () => orgRoute,
  path: '/destinations',
  validateSearch: (search) => textParam(search, 'q'),
  component: lazyRouteComponent(async () => import('./destinations-page.tsx'), 'DestinationsPage'),
});

const destination = createRoute({
  getParentRoute: () => orgRoute,
  path: '/destinations/$destinationId',
  component: lazyRouteComponent(async () => import('./destination-page.tsx'), 'DestinationPage'),
});

/** The pages of destinations. */
export const destinationsRoutes = [destinations, destination] as const;
