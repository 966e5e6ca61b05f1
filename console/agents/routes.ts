import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { orgPage } from '../core/routing/route-roots.ts';
import { choice, texts } from '../core/routing/search.ts';

/** The parts of an agent's form after the first one. */
const TABS = ['tools', 'model', 'limits', 'knowledge'] as const;

const agents = orgPage('/agents', async () => import('./agents-page.tsx'), 'AgentsPage', texts('q'));

const newAgent = orgPage('/agents/new', async () => import('./agent-editor.tsx'), 'NewAgentPage', choice('tab', TABS));

const agent = orgPage('/agents/$agentId', async () => import('./agent-page.tsx'), 'AgentPage');

const editor = createRoute({
  getParentRoute: () => agent,
  path: '/',
  validateSearch: choice('tab', TABS),
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
