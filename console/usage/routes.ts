import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { orgRoute } from '../core/routing/route-roots.ts';
import { choiceParam, textParam } from '../core/routing/search.ts';
import { GROUPINGS, MEASURES, SCOPES } from './choices.ts';

const usage = createRoute({
  getParentRoute: () => orgRoute,
  path: '/usage',
  validateSearch: (search) => ({
    ...textParam(search, 'from'),
    ...textParam(search, 'to'),
    ...choiceParam(search, 'by', GROUPINGS),
    ...choiceParam(search, 'of', MEASURES),
    ...choiceParam(search, 'scope', SCOPES),
  }),
  component: lazyRouteComponent(async () => import('./usage-page.tsx'), 'UsagePage'),
});

/** The page of usage. */
export const usageRoutes = [usage] as const;
