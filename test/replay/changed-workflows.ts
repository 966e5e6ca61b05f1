import { sleep } from '@temporalio/workflow';
import type { ScheduleKey } from '../../domain/core/due-work.ts';
import { agentWorkflowRun as runToday } from '../../workflows/agent-workflows/run.ts';
import type { AgentWorkflowRunInput } from '../../workflows/agent-workflows/contract.ts';
import { conversation as today } from '../../workflows/turns/conversation.ts';
import { subAgent as subAgentToday } from '../../workflows/turns/sub-agent.ts';
import { probeProvider as probeToday } from '../../workflows/providers/probe-provider.ts';
import { probeMcpServer as probeMcpToday } from '../../workflows/mcp-servers/probe-mcp-server.ts';
import { signInAtMcpServer as signInToday } from '../../workflows/mcp-servers/sign-in-at-mcp-server.ts';
import type {
  McpSignInInput,
  McpSignInResult,
  ProbeMcpServerInput,
  ProbeMcpServerResult,
} from '../../workflows/mcp-servers/contract.ts';
import { refreshMarketplaceIndex as refreshToday } from '../../workflows/marketplace/refresh-marketplace-index.ts';
import type { RefreshMarketplaceIndexInput } from '../../workflows/marketplace/contract.ts';
import { refreshRepoTree as refreshTreeToday } from '../../workflows/repo-trees/refresh-repo-tree.ts';
import type { RefreshRepoTreeInput } from '../../workflows/repo-trees/contract.ts';
import { extractText as extractToday } from '../../workflows/files/extract-text.ts';
import { readDocument as readToday } from '../../workflows/knowledge-bases/read-document.ts';
import { embedKnowledgeBase as embedToday } from '../../workflows/knowledge-bases/embed-knowledge-base.ts';
import { embedQuery as embedQueryToday } from '../../workflows/knowledge-bases/embed-query.ts';
import type {
  EmbedKnowledgeBaseInput,
  EmbedQueryInput,
  ReadDocumentInput,
} from '../../workflows/knowledge-bases/contract.ts';
import type { ExtractTextInput } from '../../workflows/files/contract.ts';
import { task as taskToday } from '../../workflows/tasks/task.ts';
import type { TaskInput } from '../../workflows/tasks/contract.ts';
import { tryTool as tryToday } from '../../workflows/tools/try-tool.ts';
import { housekeeping as housekeepingToday } from '../../workflows/housekeeping/housekeeping.ts';
import type { HousekeepingInput } from '../../workflows/housekeeping/contract.ts';
import { purgeOrg as purgeToday } from '../../workflows/orgs/purge-org.ts';
import type { PurgeOrgInput } from '../../workflows/orgs/contract.ts';
import type { ConversationInput } from '../../workflows/turns/contract.ts';
import { checkIntegration as checkToday } from '../../workflows/integrations/check-integration.ts';
import { endIntegrationGrant as endGrantToday } from '../../workflows/integrations/end-integration-grant.ts';
import { signInWithIntegration as signInWithToday } from '../../workflows/integrations/sign-in-with-integration.ts';
import type {
  CheckIntegrationInput,
  CheckIntegrationResult,
  IntegrationSignInInput,
  IntegrationSignInResult,
  RevokeGrantInput,
} from '../../workflows/integrations/contract.ts';
import { signInAtProvider as signInAtProviderToday } from '../../workflows/providers/sign-in-at-provider.ts';
import { listProviderModels as listModelsToday } from '../../workflows/providers/list-provider-models.ts';
import type {
  ListProviderModelsInput,
  ListProviderModelsResult,
  ProbeProviderInput,
  ProbeResult,
  ProviderSignInInput,
} from '../../workflows/providers/contract.ts';
import type { TryToolInput } from '../../workflows/tools/contract.ts';
import { pushIssues as pushToday } from '../../workflows/issue-pushes/push-issues.ts';
import type { PushIssuesInput } from '../../workflows/issue-pushes/contract.ts';
import { syncIssues as syncToday } from '../../workflows/issue-sync/sync-issues.ts';
import type { SyncIssuesInput } from '../../workflows/issue-sync/contract.ts';
import { scheduleSlot as slotToday } from '../../workflows/schedules/schedule-slot.ts';
import { deliverWebhooks as deliverToday } from '../../workflows/webhooks/deliver-webhooks.ts';
import type { DeliverWebhooksInput } from '../../workflows/webhooks/contract.ts';

import type { EnterMessagesInput } from '../../workflows/search/contract.ts';
import { enterMessages as enterToday } from '../../workflows/search/enter-messages.ts';

// Workflows that decide something else than those that were recorded: no recorded history may pass with them.

export async function conversation(input: ConversationInput): Promise<void> {
  await sleep('1 second');
  await today(input);
}

export async function agentWorkflowRun(input: AgentWorkflowRunInput): Promise<void> {
  await sleep('1 second');
  await runToday(input);
}

export async function subAgent(input: ConversationInput): Promise<void> {
  await sleep('1 second');
  await subAgentToday(input);
}

export async function task(input: TaskInput): Promise<void> {
  await sleep('1 second');
  await taskToday(input);
}

export async function housekeeping(input: HousekeepingInput): Promise<void> {
  await sleep('1 second');
  await housekeepingToday(input);
}

export async function probeProvider(input: ProbeProviderInput): Promise<ProbeResult> {
  await sleep('1 second');
  return probeToday(input);
}

export async function signInAtProvider(input: ProviderSignInInput): Promise<void> {
  await sleep('1 second');
  await signInAtProviderToday(input);
}

export async function listProviderModels(input: ListProviderModelsInput): Promise<ListProviderModelsResult> {
  await sleep('1 second');
  return listModelsToday(input);
}

export async function checkIntegration(input: CheckIntegrationInput): Promise<CheckIntegrationResult> {
  await sleep('1 second');
  return checkToday(input);
}

export async function signInWithIntegration(input: IntegrationSignInInput): Promise<IntegrationSignInResult> {
  await sleep('1 second');
  return signInWithToday(input);
}

export async function endIntegrationGrant(input: RevokeGrantInput): Promise<void> {
  await sleep('1 second');
  await endGrantToday(input);
}

export async function tryTool(input: TryToolInput): Promise<void> {
  await sleep('1 second');
  await tryToday(input);
}

export async function purgeOrg(input: PurgeOrgInput): Promise<void> {
  await sleep('1 second');
  await purgeToday(input);
}

export async function probeMcpServer(input: ProbeMcpServerInput): Promise<ProbeMcpServerResult> {
  await sleep('1 second');
  return probeMcpToday(input);
}

export async function signInAtMcpServer(input: McpSignInInput): Promise<McpSignInResult> {
  await sleep('1 second');
  return signInToday(input);
}

export async function readDocument(input: ReadDocumentInput): Promise<void> {
  await sleep('1 second');
  await readToday(input);
}

export async function embedKnowledgeBase(input: EmbedKnowledgeBaseInput): Promise<void> {
  await sleep('1 second');
  await embedToday(input);
}

export async function embedQuery(input: EmbedQueryInput): Promise<void> {
  await sleep('1 second');
  await embedQueryToday(input);
}

export async function extractText(input: ExtractTextInput): Promise<void> {
  await sleep('1 second');
  await extractToday(input);
}

export async function refreshMarketplaceIndex(input: RefreshMarketplaceIndexInput): Promise<void> {
  await sleep('1 second');
  await refreshToday(input);
}

export async function syncIssues(input: SyncIssuesInput): Promise<void> {
  await sleep('1 second');
  await syncToday(input);
}

export async function pushIssues(input: PushIssuesInput): Promise<void> {
  await sleep('1 second');
  await pushToday(input);
}

export async function refreshRepoTree(input: RefreshRepoTreeInput): Promise<void> {
  await sleep('1 second');
  await refreshTreeToday(input);
}

export async function deliverWebhooks(input: DeliverWebhooksInput): Promise<void> {
  await sleep('1 second');
  await deliverToday(input);
}

export async function enterMessages(input: EnterMessagesInput): Promise<void> {
  await sleep('1 second');
  await enterToday(input);
}

export async function scheduleSlot(input: ScheduleKey): Promise<void> {
  await sleep('1 second');
  await slotToday(input);
}
