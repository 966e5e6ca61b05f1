import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { orgRoute } from '../core/routing/route-roots.ts';
import { textParam } from '../core/routing/search.ts';

const groups = createRoute({
  getParentRoute: () => orgRoute,
  path: '/permissions',
  component: lazyRouteComponent(async () => import('./groups-page.tsx'), 'GroupsPage'),
});

const group = createRoute({
  getParentRoute: () => orgRoute,
  path: '/permissions/$groupId',
  validateSearch: (search) => textParam(search, 'tab'),
  component: lazyRouteComponent(async () => import('./group-page.tsx'), 'GroupPage'),
});

/** The pages of permission groups. */
export const permissionsRoutes = [groups, group] as const;
