import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { orgRoute } from '../core/routing/route-roots.ts';
import { choiceParam } from '../core/routing/search.ts';
import { KINDS } from './kinds.ts';

const trash = createRoute({
  getParentRoute: () => orgRoute,
  path: '/trash',
  validateSearch: (search) => choiceParam(search, 'of', KINDS),
  component: lazyRouteComponent(async () => import('./trash-page.tsx'), 'TrashPage'),
});

/** The page of what was deleted and can be restored. */
export const trashRoutes = [trash] as const;
