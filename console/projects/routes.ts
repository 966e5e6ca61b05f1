import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { orgRoute } from '../core/routing/route-roots.ts';
import { textParam } from '../core/routing/search.ts';

const projects = createRoute({
  getParentRoute: () => orgRoute,
  path: '/projects',
  validateSearch: (search) => textParam(search, 'q'),
  component: lazyRouteComponent(async () => import('./projects-page.tsx'), 'ProjectsPage'),
});

const project = createRoute({
  getParentRoute: () => orgRoute,
  path: '/projects/$projectId',
  validateSearch: (search) => textParam(search, 'tab'),
  component: lazyRouteComponent(async () => import('./project-page.tsx'), 'ProjectPage'),
});

/** The pages of projects. */
export const projectsRoutes = [projects, project] as const;
