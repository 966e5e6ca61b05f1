import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { orgRoute } from '../core/routing/route-roots.ts';
import { textParam } from '../core/routing/search.ts';

const members = createRoute({
  getParentRoute: () => orgRoute,
  path: '/members',
  validateSearch: (search) => textParam(search, 'q'),
  component: lazyRouteComponent(async () => import('./members-page.tsx'), 'MembersPage'),
});

const member = createRoute({
  getParentRoute: () => orgRoute,
  path: '/members/$userId',
  component: lazyRouteComponent(async () => import('./member-page.tsx'), 'MemberPage'),
});

/** The pages of members and invites. */
export const membersRoutes = [members, member] as const;
