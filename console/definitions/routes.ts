import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { orgRoute } from '../core/routing/route-roots.ts';
import { choiceParam, textParam } from '../core/routing/search.ts';

type Search = Readonly<Record<string, unknown>>;

const listSearch = (search: Search) => ({
  ...textParam(search, 'q'),
  ...textParam(search, 'category'),
  ...choiceParam(search, 'from', ['own', 'builtin']),
});
const pageSearch = (search: Search) => ({
  ...choiceParam(search, 'tab', ['files', 'details', 'try']),
  ...textParam(search, 'file'),
});

const skills = createRoute({
  getParentRoute: () => orgRoute,
  path: '/skills',
  validateSearch: listSearch,
  component: lazyRouteComponent(async () => import('./definitions-page.tsx'), 'SkillsPage'),
});

const skill = createRoute({
  getParentRoute: () => orgRoute,
  path: '/skills/$definitionId',
  validateSearch: pageSearch,
  component: lazyRouteComponent(async () => import('./definition-page.tsx'), 'SkillPage'),
});

const personas = createRoute({
  getParentRoute: () => orgRoute,
  path: '/personas',
  validateSearch: listSearch,
  component: lazyRouteComponent(async () => import('./definitions-page.tsx'), 'PersonasPage'),
});

const persona = createRoute({
  getParentRoute: () => orgRoute,
  path: '/personas/$definitionId',
  validateSearch: pageSearch,
  component: lazyRouteComponent(async () => import('./definition-page.tsx'), 'PersonaPage'),
});

const tools = createRoute({
  getParentRoute: () => orgRoute,
  path: '/tools',
  validateSearch: listSearch,
  component: lazyRouteComponent(async () => import('./definitions-page.tsx'), 'ToolsPage'),
});

const tool = createRoute({
  getParentRoute: () => orgRoute,
  path: '/tools/$definitionId',
  validateSearch: pageSearch,
  component: lazyRouteComponent(async () => import('./definition-page.tsx'), 'ToolPage'),
});

/** The pages of what agents are made of. */
export const definitionsRoutes = [skills, skill, personas, persona, tools, tool] as const;
