import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { orgRoute } from '../core/routing/route-roots.ts';

const home = createRoute({
  getParentRoute: () => orgRoute,
  path: '/',
  component: lazyRouteComponent(async () => import('./home-page.tsx'), 'HomePage'),
});

/** The page that an organization opens with. */
export const homeRoutes = [home] as const;
