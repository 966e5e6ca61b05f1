// The product's Temporal workflows: turns, automation, work on what people bring and with other services, and
// housekeeping. Workflows of one activity are declared in tables: `due-work/contract.ts` for work of rows,
// `short/contract.ts` for what somebody waits for.
import { workflowsOfWork } from './due-work/workflows.ts';
import { shortWorkflows } from './short/workflows.ts';

export { conversation, subAgent } from './turns/conversation.ts';

export { agentWorkflowRun, task } from './follow-row.ts';
export { scheduleSlot } from './schedules/schedule-slot.ts';

export const {
  deliverWebhooks,
  embedKnowledgeBase,
  endIntegrationGrant,
  enterMessages,
  extractText,
  pushIssues,
  readChannel,
  readDocument,
  refreshMarketplaceIndex,
  refreshRepoTree,
  syncIssues,
} = workflowsOfWork;

export const {
  checkIntegration,
  embedQuery,
  listProviderModels,
  probeMcpServer,
  probeProvider,
  signInAtMcpServer,
  signInWithIntegration,
  testDestination,
  tryTool,
} = shortWorkflows;
export { signInAtProvider } from './providers/sign-in-at-provider.ts';

export { housekeeping, purgeOrg } from './housekeeping/workflows.ts';
