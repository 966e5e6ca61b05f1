import { a2aEndpointRoutes } from './a2a-endpoint/routes.ts';
import { agentRoutes } from './agents/routes.ts';
import { agentWorkflowRoutes } from './agent-workflows/routes.ts';
import { apiKeyRoutes } from './api-keys/routes.ts';
import { approvalRoutes } from './approvals/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import { authRoutes } from './auth/routes.ts';
import { channelRoutes } from './channels/routes.ts';
import { chatSseRoutes } from './chat-sse/routes.ts';
import { chatRoutes } from './chats/routes.ts';
import { completionRoutes } from './completions/routes.ts';
import { definitionRoutes } from './definitions/routes.ts';
import { fileRoutes } from './files/routes.ts';
import type { Route } from './http/define-route.ts';
import { healthRoutes } from './health/routes.ts';
import { providerChainRoutes } from './provider-chains/routes.ts';
import { destinationRoutes } from './destinations/routes.ts';
import { integrationRoutes } from './integrations/routes.ts';
import { inviteRoutes } from './invites/routes.ts';
import { mcpEndpointRoutes } from './mcp-endpoint/routes.ts';
import { mcpServerRoutes } from './mcp-servers/routes.ts';
import { issueSyncRoutes } from './issue-sync/routes.ts';
import { issueRoutes } from './issues/routes.ts';
import { knowledgeBaseRoutes } from './knowledge-bases/routes.ts';
import { memoryRoutes } from './memories/routes.ts';
import { indexRoutes } from './marketplace/index-routes.ts';
import { marketplaceRoutes } from './marketplace/routes.ts';
import { modelProfileRoutes } from './model-profiles/routes.ts';
import { orgRoutes } from './orgs/routes.ts';
import { permissionRoutes } from './permissions/routes.ts';
import { projectRoutes } from './projects/routes.ts';
import { providerRoutes } from './providers/routes.ts';
import { responseRoutes } from './responses/create-response.ts';
import { runRoutes } from './runs/routes.ts';
import { scheduleRoutes } from './schedules/routes.ts';
import { searchRoutes } from './search/routes.ts';
import { taskRoutes } from './tasks/routes.ts';
import { testToolRoute } from './tools/try-tool.ts';
import { traceRoutes } from './traces/routes.ts';
import { usageRoutes } from './usage/routes.ts';
import { userRoutes } from './users/routes.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import { workspaceRoutes } from './workspaces/routes.ts';

const namedRoutes: readonly Route[] = [
  ...authRoutes,
  ...userRoutes,
  ...orgRoutes,
  ...inviteRoutes,
  ...apiKeyRoutes,
  ...agentRoutes,
  ...memoryRoutes,
  ...knowledgeBaseRoutes,
  ...definitionRoutes,
  testToolRoute,
  ...providerChainRoutes,
  ...modelProfileRoutes,
  ...marketplaceRoutes,
  ...indexRoutes,
  ...providerRoutes,
  ...mcpServerRoutes,
  ...integrationRoutes,
  ...destinationRoutes,
  ...channelRoutes,
  ...permissionRoutes,
  ...projectRoutes,
  ...issueRoutes,
  ...issueSyncRoutes,
  ...searchRoutes,
  ...chatRoutes,
  ...traceRoutes,
  ...taskRoutes,
  ...agentWorkflowRoutes,
  ...webhookRoutes,
  ...scheduleRoutes,
  ...runRoutes,
  ...approvalRoutes,
  ...usageRoutes,
  ...fileRoutes,
  ...workspaceRoutes,
  ...chatSseRoutes,
  ...completionRoutes,
  ...responseRoutes,
  ...mcpEndpointRoutes,
  ...a2aEndpointRoutes,
  ...healthRoutes,
];

/** Every route. The router, the OpenAPI document and the derived tests are made from this list. */
export const routes: readonly Route[] = [...namedRoutes, ...auditRoutes(namedRoutes)];
