import {
  CONVERSATION,
  conversationId,
  type ConversationInput,
  type RunToolInput,
  SUB_AGENT,
  subAgentId,
} from '../workflows/turns/contract.ts';
import {
  AGENT_WORKFLOW_RUN,
  agentWorkflowRunId,
  type NextStepOfRunInput,
} from '../workflows/agent-workflows/contract.ts';
import {
  mcpProbesOf,
  mcpSignInsOf,
  type McpSignInInput,
  PROBE_MCP_SERVER,
  type ProbeMcpServerInput,
  SIGN_IN_AT_MCP_SERVER,
} from '../workflows/mcp-servers/contract.ts';
import {
  CHECK_INTEGRATION,
  type CheckIntegrationInput,
  checksOf,
  END_INTEGRATION_GRANT,
  integrationSignInId,
  type IntegrationSignInInput,
  revokeGrantId,
  type RevokeGrantInput,
  SIGN_IN_WITH_INTEGRATION,
} from '../workflows/integrations/contract.ts';
import { PUSH_ISSUES, pushIssuesId, type PushIssuesInput } from '../workflows/issue-pushes/contract.ts';
import { SYNC_ISSUES, syncIssuesId, type SyncIssuesInput } from '../workflows/issue-sync/contract.ts';
import { EXTRACT_TEXT, extractTextId, type ExtractTextInput } from '../workflows/files/contract.ts';
import {
  EMBED_KNOWLEDGE_BASE,
  EMBED_QUERY,
  embedKnowledgeBaseId,
  type EmbedKnowledgeBaseInput,
  embedQueryId,
  type EmbedQueryInput,
  READ_DOCUMENT,
  readDocumentId,
  type ReadDocumentInput,
} from '../workflows/knowledge-bases/contract.ts';
import {
  REFRESH_MARKETPLACE_INDEX,
  refreshMarketplaceIndexId,
  type RefreshMarketplaceIndexInput,
} from '../workflows/marketplace/contract.ts';
import { HOUSEKEEPING, housekeepingId, type HousekeepingInput } from '../workflows/housekeeping/contract.ts';
import { PURGE_ORG, purgeOrgId, type PurgeOrgInput } from '../workflows/orgs/contract.ts';
import {
  LIST_PROVIDER_MODELS,
  type ListProviderModelsInput,
  modelListsOf,
  PROBE_PROVIDER,
  type ProbeProviderInput,
  probesOf,
  providerSignInId,
  type ProviderSignInInput,
  SIGN_IN_AT_PROVIDER,
} from '../workflows/providers/contract.ts';
import { REFRESH_REPO_TREE, refreshRepoTreeId, type RefreshRepoTreeInput } from '../workflows/repo-trees/contract.ts';
import { ENTER_MESSAGES, ENTER_MESSAGES_ID, type EnterMessagesInput } from '../workflows/search/contract.ts';
import { type DecideSlotsInput, SCHEDULE_SLOT, scheduleSlotsId } from '../workflows/schedules/contract.ts';
import { type NextStepOfTaskInput, TASK, taskWorkflowId } from '../workflows/tasks/contract.ts';
import { TRY_TOOL, tryToolId, type TryToolInput } from '../workflows/tools/contract.ts';
import { DELIVER_WEBHOOKS, deliverWebhooksId, type DeliverWebhooksInput } from '../workflows/webhooks/contract.ts';
import type { WorkflowCaller } from './core/caller-guard.ts';
import type { Activities } from './index.ts';

type CallersOf = {
  readonly [Name in keyof Activities]: (input: Parameters<Activities[Name]>[0]) => readonly WorkflowCaller[];
};

/** The workflows that may run each activity. */
export const CALLERS: CallersOf = {
  runNextTurn: workflowsOfChat,
  runShortTurn: workflowsOfChat,
  runTool: ({ orgId }: RunToolInput) => [
    { type: CONVERSATION, id: { prefix: conversationId({ orgId, chatId: '' }) } },
    { type: SUB_AGENT, id: { prefix: subAgentId({ orgId, chatId: '' }) } },
  ],
  nextStepOfRun: (run: NextStepOfRunInput) => [{ type: AGENT_WORKFLOW_RUN, id: agentWorkflowRunId(run) }],
  callProvider: (probe: ProbeProviderInput) => [{ type: PROBE_PROVIDER, id: { prefix: probesOf(probe) } }],
  signInWithCli: workflowOfSignIn,
  failProviderSignIn: workflowOfSignIn,
  listModels: (list: ListProviderModelsInput) => [{ type: LIST_PROVIDER_MODELS, id: { prefix: modelListsOf(list) } }],
  tryIntegration: (check: CheckIntegrationInput) => [{ type: CHECK_INTEGRATION, id: { prefix: checksOf(check) } }],
  finishIntegrationSignIn: (signIn: IntegrationSignInInput) => [
    { type: SIGN_IN_WITH_INTEGRATION, id: integrationSignInId(signIn) },
  ],
  revokeGrant: (ended: RevokeGrantInput) => [{ type: END_INTEGRATION_GRANT, id: revokeGrantId(ended) }],
  tellHost: (project: PushIssuesInput) => [{ type: PUSH_ISSUES, id: pushIssuesId(project) }],
  deliverNext: (target: DeliverWebhooksInput) => [{ type: DELIVER_WEBHOOKS, id: deliverWebhooksId(target) }],
  decideSlots: (schedule: DecideSlotsInput) => [
    { type: SCHEDULE_SLOT, id: { prefix: `${scheduleSlotsId(schedule)}-` } },
  ],
  readFromHost: (sync: SyncIssuesInput) => [{ type: SYNC_ISSUES, id: syncIssuesId(sync) }],
  fetchMcpTools: (probe: ProbeMcpServerInput) => [{ type: PROBE_MCP_SERVER, id: { prefix: mcpProbesOf(probe) } }],
  advanceMcpSignIn: (part: McpSignInInput) => [{ type: SIGN_IN_AT_MCP_SERVER, id: { prefix: mcpSignInsOf(part) } }],
  tryTool: (trial: TryToolInput) => [{ type: TRY_TOOL, id: tryToolId(trial) }],
  nextStepOfTask: (task: NextStepOfTaskInput) => [{ type: TASK, id: taskWorkflowId(task) }],
  runHousekeeping: (due: HousekeepingInput) => [{ type: HOUSEKEEPING, id: { prefix: housekeepingId(due) } }],
  removeOrgRecords: (org: PurgeOrgInput) => [{ type: PURGE_ORG, id: purgeOrgId(org) }],
  removeOrgFiles: (org: PurgeOrgInput) => [{ type: PURGE_ORG, id: purgeOrgId(org) }],
  embedKnowledgeBase: (base: EmbedKnowledgeBaseInput) => [
    { type: EMBED_KNOWLEDGE_BASE, id: embedKnowledgeBaseId(base) },
  ],
  embedQuery: (query: EmbedQueryInput) => [{ type: EMBED_QUERY, id: embedQueryId(query) }],
  fetchMarketplaceIndex: (index: RefreshMarketplaceIndexInput) => [
    { type: REFRESH_MARKETPLACE_INDEX, id: refreshMarketplaceIndexId(index) },
  ],
  fetchRepoTree: (project: RefreshRepoTreeInput) => [{ type: REFRESH_REPO_TREE, id: refreshRepoTreeId(project) }],
  enterNewMessages: (_input: EnterMessagesInput) => [{ type: ENTER_MESSAGES, id: ENTER_MESSAGES_ID }],
  readKnowledgeDocument: (document: ReadDocumentInput) => [{ type: READ_DOCUMENT, id: readDocumentId(document) }],
  extractFileText: (file: ExtractTextInput) => [{ type: EXTRACT_TEXT, id: extractTextId(file) }],
};

function workflowOfSignIn(signIn: ProviderSignInInput): readonly WorkflowCaller[] {
  return [{ type: SIGN_IN_AT_PROVIDER, id: providerSignInId(signIn) }];
}

function workflowsOfChat(chat: ConversationInput): readonly WorkflowCaller[] {
  return [
    { type: CONVERSATION, id: conversationId(chat) },
    { type: SUB_AGENT, id: subAgentId(chat) },
  ];
}
