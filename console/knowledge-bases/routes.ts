import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { orgRoute } from '../core/routing/route-roots.ts';
import { choiceParam, textParam } from '../core/routing/search.ts';

/** The parts of the page of a knowledge base. */
const TABS = ['documents', 'search', 'settings'] as const;

const bases = createRoute({
  getParentRoute: () => orgRoute,
  path: '/knowledge-bases',
  validateSearch: (search) => textParam(search, 'q'),
  component: lazyRouteComponent(async () => import('./bases-page.tsx'), 'KnowledgeBasesPage'),
});

const base = createRoute({
  getParentRoute: () => orgRoute,
  path: '/knowledge-bases/$baseId',
  validateSearch: (search) => ({ ...choiceParam(search, 'tab', TABS), ...textParam(search, 'q') }),
  component: lazyRouteComponent(async () => import('./base-page.tsx'), 'KnowledgeBasePage'),
});

/** The pages of knowledge bases. */
export const knowledgeBasesRoutes = [bases, base] as const;
