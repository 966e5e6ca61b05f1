import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { orgRoute } from '../core/routing/route-roots.ts';
import { choiceParam, textParam } from '../core/routing/search.ts';

const workflows = createRoute({
  getParentRoute: () => orgRoute,
  path: '/workflows',
  validateSearch: (search) => textParam(search, 'q'),
  component: lazyRouteComponent(async () => import('./workflows-page.tsx'), 'WorkflowsPage'),
});

const newWorkflow = createRoute({
  getParentRoute: () => orgRoute,
  path: '/workflows/new',
  component: lazyRouteComponent(async () => import('./workflow-page.tsx'), 'NewWorkflowPage'),
});

const workflow = createRoute({
  getParentRoute: () => orgRoute,
  path: '/workflows/$workflowId',
  validateSearch: (search) => choiceParam(search, 'tab', ['runs', 'conversations', 'outside', 'settings']),
  component: lazyRouteComponent(async () => import('./workflow-page.tsx'), 'WorkflowPage'),
});

/** The pages of workflows. */
export const workflowsRoutes = [workflows, newWorkflow, workflow] as const;
