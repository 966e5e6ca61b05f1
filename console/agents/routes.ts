import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { orgRoute } from '../core/routing/route-roots.ts';
import { choiceParam, textParam } from '../core/routing/search.ts';

const TABS = ['prompt', 'tools', 'model', 'limits', 'knowledge'] as const;

const agents = createRoute({
  getParentRoute: () => orgRoute,
  path: '/agents',
  validateSearch: (search) => textParam(search, 'q'),
  component: lazyRouteComponent(async () => import('./agents-page.tsx'), 'AgentsPage'),
});

const newAgent = createRoute({
  getParentRoute: () => orgRoute,
  path: '/agents/new',
  validateSearch: (search) => choiceParam(search, 'tab', TABS),
  component: lazyRouteComponent(async () => import('./agent-editor.tsx'), 'NewAgentPage'),
});

const agent = createRoute({
  getParentRoute: () => orgRoute,
  path: '/agents/$agentId',
  component: lazyRouteComponent(async () => import('./agent-page.tsx'), 'AgentPage'),
});

const editor = createRoute({
  getParentRoute: () => agent,
  path: '/',
  validateSearch: (search) => choiceParam(search, 'tab', TABS),
  component: lazyRouteComponent(async () => import('./agent-editor.tsx'), 'AgentEditor'),
});

const memories = createRoute({
  getParentRoute: () => agent,
  path: '/memories',
  component: lazyRouteComponent(async () => import('./memories-page.tsx'), 'MemoriesPage'),
});

const prompt = createRoute({
  getParentRoute: () => agent,
  path: '/prompt',
  component: lazyRouteComponent(async () => import('./seen-page.tsx'), 'SeenPage'),
});

/** The pages of agents. */
export const agentsRoutes = [agents, newAgent, agent.addChildren([editor, memories, prompt])] as const;
