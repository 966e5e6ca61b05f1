import { agentRoutes } from './agents/index.ts';
import { apiKeyRoutes } from './api-keys/index.ts';
import { auditRoutes } from './audit/index.ts';
import { authRoutes } from './auth/index.ts';
import { chatSseRoutes } from './chat-sse/index.ts';
import { chatRoutes } from './chats/index.ts';
import type { Route } from './http/define-route.ts';
import { healthRoutes } from './health/index.ts';
import { providerChainRoutes } from './provider-chains/index.ts';
import { inviteRoutes } from './invites/index.ts';
import { memoryRoutes } from './memories/index.ts';
import { orgRoutes } from './orgs/index.ts';
import { permissionRoutes } from './permissions/index.ts';
import { providerRoutes } from './providers/index.ts';
import { userRoutes } from './users/index.ts';

const namedRoutes: readonly Route[] = [
  ...authRoutes,
  ...userRoutes,
  ...orgRoutes,
  ...inviteRoutes,
  ...apiKeyRoutes,
  ...agentRoutes,
  ...memoryRoutes,
  ...providerChainRoutes,
  ...providerRoutes,
  ...permissionRoutes,
  ...chatRoutes,
  ...chatSseRoutes,
  ...healthRoutes,
];

/** Every route. The router, the OpenAPI document and the derived tests are made from this list. */
export const routes: readonly Route[] = [...namedRoutes, ...auditRoutes(namedRoutes)];
