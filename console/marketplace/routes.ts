import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { orgRoute } from '../core/routing/route-roots.ts';
import { choiceParam, textParam } from '../core/routing/search.ts';
import { ITEM_KINDS } from './item-kinds.ts';

const items = createRoute({
  getParentRoute: () => orgRoute,
  path: '/marketplace',
  validateSearch: (search) => ({ ...textParam(search, 'q'), ...choiceParam(search, 'kind', ITEM_KINDS) }),
  component: lazyRouteComponent(async () => import('./items-page.tsx'), 'ItemsPage'),
});

const item = createRoute({
  getParentRoute: () => orgRoute,
  path: '/marketplace/$slug',
  component: lazyRouteComponent(async () => import('./item-page.tsx'), 'ItemPage'),
});

/** The pages of the marketplace. */
export const marketplaceRoutes = [items, item] as const;
