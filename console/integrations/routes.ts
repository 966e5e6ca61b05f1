import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { orgRoute } from '../core/routing/route-roots.ts';
import { textParam } from '../core/routing/search.ts';

const integrations = createRoute({
  getParentRoute: () => orgRoute,
  path: '/integrations',
  validateSearch: (search) => textParam(search, 'q'),
  component: lazyRouteComponent(async () => import('./integrations-page.tsx'), 'IntegrationsPage'),
});

const integration = createRoute({
  getParentRoute: () => orgRoute,
  path: '/integrations/$integrationId',
  component: lazyRouteComponent(async () => import('./integration-page.tsx'), 'IntegrationPage'),
});

/** The pages of integrations. */
export const integrationsRoutes = [integrations, integration] as const;
