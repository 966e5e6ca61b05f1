import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { orgRoute } from '../core/routing/route-roots.ts';

const providers = createRoute({
  getParentRoute: () => orgRoute,
  path: '/providers',
  component: lazyRouteComponent(async () => import('./providers-page.tsx'), 'ProvidersPage'),
});

/** The pages of accounts at providers. */
export const providersRoutes = [providers] as const;
