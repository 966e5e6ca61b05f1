import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { orgRoute } from '../core/routing/route-roots.ts';

const chains = createRoute({
  getParentRoute: () => orgRoute,
  path: '/provider-chains',
  component: lazyRouteComponent(async () => import('./chains-page.tsx'), 'ChainsPage'),
});

const newChain = createRoute({
  getParentRoute: () => orgRoute,
  path: '/provider-chains/new',
  component: lazyRouteComponent(async () => import('./chain-page.tsx'), 'NewChainPage'),
});

const chain = createRoute({
  getParentRoute: () => orgRoute,
  path: '/provider-chains/$chainId',
  component: lazyRouteComponent(async () => import('./chain-page.tsx'), 'ChainPage'),
});

/** The pages of chains of providers. */
export const providerChainsRoutes = [chains, newChain, chain] as const;
