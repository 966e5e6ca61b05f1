import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { orgRoute } from '../core/routing/route-roots.ts';
import { choiceParam } from '../core/routing/search.ts';

const servers = createRoute({
  getParentRoute: () => orgRoute,
  path: '/mcp-servers',
  component: lazyRouteComponent(async () => import('./servers-page.tsx'), 'ServersPage'),
});

const server = createRoute({
  getParentRoute: () => orgRoute,
  path: '/mcp-servers/$serverId',
  validateSearch: (search) => choiceParam(search, 'tab', ['tools', 'agents', 'settings']),
  component: lazyRouteComponent(async () => import('./server-page.tsx'), 'ServerPage'),
});

/** The pages of MCP servers. */
export const mcpServersRoutes = [servers, server] as const;
