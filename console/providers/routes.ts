import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { orgRoute } from '../core/routing/route-roots.ts';
import { textParam } from '../core/routing/search.ts';

const providers = createRoute({
  getParentRoute: () => orgRoute,
  path: '/providers',
  validateSearch: (search) => textParam(search, 'q'),
  component: lazyRouteComponent(async () => import('./providers-page.tsx'), 'ProvidersPage'),
});

const provider = createRoute({
  getParentRoute: () => orgRoute,
  path: '/providers/$providerId',
  component: lazyRouteComponent(async () => import('./account-page.tsx'), 'AccountPage'),
});

/** The pages of accounts at providers. */
export const providersRoutes = [providers, provider] as const;
