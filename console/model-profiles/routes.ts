import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { orgRoute } from '../core/routing/route-roots.ts';
import { textParam } from '../core/routing/search.ts';

const profiles = createRoute({
  getParentRoute: () => orgRoute,
  path: '/model-profiles',
  validateSearch: (search) => ({ ...textParam(search, 'tag'), ...textParam(search, 'work') }),
  component: lazyRouteComponent(async () => import('./profiles-page.tsx'), 'ProfilesPage'),
});

const newProfile = createRoute({
  getParentRoute: () => orgRoute,
  path: '/model-profiles/new',
  component: lazyRouteComponent(async () => import('./profile-page.tsx'), 'NewProfilePage'),
});

const profile = createRoute({
  getParentRoute: () => orgRoute,
  path: '/model-profiles/$profileId',
  component: lazyRouteComponent(async () => import('./profile-page.tsx'), 'ProfilePage'),
});

/** The pages of model profiles. */
export const modelProfilesRoutes = [profiles, newProfile, profile] as const;
