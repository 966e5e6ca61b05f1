// What the product does as Temporal workflows: turns, what automates them, what is done with what people bring and with
// other services, and housekeeping.

export { conversation } from './turns/conversation.ts';
export { subAgent } from './turns/sub-agent.ts';

export { agentWorkflowRun } from './agent-workflows/run.ts';
export { scheduleSlot } from './schedules/schedule-slot.ts';
export { task } from './tasks/task.ts';
export { deliverWebhooks } from './webhooks/deliver-webhooks.ts';

export { enterMessages } from './search/enter-messages.ts';
export { extractText } from './files/extract-text.ts';
export { readDocument } from './knowledge-bases/read-document.ts';
export { embedKnowledgeBase } from './knowledge-bases/embed-knowledge-base.ts';
export { embedQuery } from './knowledge-bases/embed-query.ts';

export { refreshRepoTree } from './repo-trees/refresh-repo-tree.ts';
export { syncIssues } from './issue-sync/sync-issues.ts';
export { pushIssues } from './issue-pushes/push-issues.ts';
export { refreshMarketplaceIndex } from './marketplace/refresh-marketplace-index.ts';

export { probeProvider } from './providers/probe-provider.ts';
export { listProviderModels } from './providers/list-provider-models.ts';
export { signInAtProvider } from './providers/sign-in-at-provider.ts';
export { checkIntegration } from './integrations/check-integration.ts';
export { signInWithIntegration } from './integrations/sign-in-with-integration.ts';
export { endIntegrationGrant } from './integrations/end-integration-grant.ts';
export { probeMcpServer } from './mcp-servers/probe-mcp-server.ts';
export { signInAtMcpServer } from './mcp-servers/sign-in-at-mcp-server.ts';
export { tryTool } from './tools/try-tool.ts';

export { housekeeping } from './housekeeping/housekeeping.ts';
export { purgeOrg } from './orgs/purge-org.ts';
