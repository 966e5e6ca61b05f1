import { createAdvanceMcpSignIn, type McpSignInDeps } from './mcp-servers/create-advance-mcp-sign-in.ts';
import { createFetchMcpTools, type McpClientDeps } from './mcp-servers/mcp-client.ts';
import {
  createFinishIntegrationSignIn,
  createRevokeGrant,
  type SignInDeps as IntegrationSignInDeps,
} from './integrations/finish-sign-in.ts';
import { createTryIntegration } from './integrations/try-integration.ts';
import { createNextStepOfRun, createNextStepOfTask, type TaskDeps } from './next-steps.ts';
import { createTestDestination, type TestDestinationDeps } from './destinations/test-destination.ts';
import { advanceRun, type RunDeps } from '../db/agent-workflows/decisions/decide-run.ts';
import { createTellHost, type IssuePushDeps } from './issue-pushes.ts';
import { createReadFromHost, type IssueSyncDeps } from './issue-sync/read-from-host.ts';
import { createRunHousekeeping, type HousekeepingDeps } from './housekeeping.ts';
import { createExtractFileText, type ExtractionDeps } from './files/extract-file-text.ts';
import { createEmbedKnowledgeBase } from './embeddings/embed-knowledge-base.ts';
import { createEmbedQuery, type VectorDeps } from './embeddings/ask-for-vectors.ts';
import { createReadKnowledgeDocument, type KnowledgeDeps } from './knowledge-bases.ts';
import { createFetchMarketplaceIndex, type MarketplaceDeps } from './marketplace.ts';
import { createRemoveOrgFiles, createRemoveOrgRecords, type PurgeDeps } from './orgs.ts';
import {
  type CallProviderDeps,
  createCallProvider,
  createListModels,
  type ListModelsDeps,
} from './providers/ask-account.ts';
import { createFailSignIn, createSignInWithCli, type SignInDeps } from './providers/cli-sign-in.ts';
import { createFetchRepoTree } from './repo-trees/read-repository.ts';
import type { CodeHostDeps } from './code-hosts/with-code-host.ts';
import { createEnterNewMessages, type SearchDeps } from './search.ts';
import { composeToolsets } from './tools/toolset.ts';
import { createTryTool } from './tools/test-runs/try-tool.ts';
import { type SourceDeps, toolSources } from './tools/sources/index.ts';
import { toolContext } from './tools/operations/tool-context.ts';
import { createDecideSlots, type SlotDeps } from './schedules.ts';
import { type ChannelDeps, createReceiveMessages } from './channels/receive-messages.ts';
import { streamAnswer } from './channels/stream-answer.ts';
import { createDeliverNext, type WebhookDeps } from './webhooks.ts';
import { createRunNextTurn, createRunShortTurn } from './turns/run-next-turn.ts';
import { createRunTool, runCall, type ToolDeps } from './turns/calls/run-call.ts';
import type { StepsDeps } from './turns/take-steps.ts';
import type { TurnDeps } from './turns/turn-step.ts';
import type { TurnRuns } from './turns/runs/turn-runs.ts';

/** The dependencies of each capability's activities. */
export interface ActivityDeps {
  readonly turns: Omit<TurnDeps, 'toolsetFor' | 'contextFor' | 'advanceRun'>;
  readonly calls: Omit<ToolDeps, 'toolsetFor'>;
  readonly runs: TurnRuns;
  readonly agentWorkflows: RunDeps;
  readonly toolSources: SourceDeps;
  readonly providers: CallProviderDeps & ListModelsDeps & SignInDeps;
  readonly integrations: IntegrationSignInDeps;
  readonly destinations: TestDestinationDeps;
  readonly issueSync: IssueSyncDeps & IssuePushDeps;
  readonly orgs: PurgeDeps;
  readonly mcpServers: McpClientDeps & McpSignInDeps;
  readonly files: ExtractionDeps;
  readonly knowledge: KnowledgeDeps;
  readonly embeddings: VectorDeps;
  readonly marketplace: MarketplaceDeps;
  readonly codeHosts: CodeHostDeps;
  readonly search: SearchDeps;
  readonly webhooks: WebhookDeps;
  readonly channels: ChannelDeps;
  readonly tasks: TaskDeps;
  readonly housekeeping: HousekeepingDeps;
  readonly schedules: SlotDeps;
}

/** Makes every activity of the platform, and what is needed to take the steps of turns before they ask for it. */
export function createActivities(deps: ActivityDeps) {
  const { providers, integrations, issueSync, codeHosts, orgs, mcpServers, files, marketplace, webhooks, runs } = deps;
  const toolsetFor = composeToolsets(toolSources(deps.toolSources));
  const calls = { ...deps.calls, toolsetFor };
  const steps: StepsDeps = {
    turns: {
      ...deps.turns,
      toolsetFor,
      contextFor: (scope, signal) => toolContext(calls, scope, signal),
      advanceRun: async (run) => advanceRun(deps.agentWorkflows, run),
    },
    runs,
    runInlineCall: async (call, cancellation) => runCall(calls, call, cancellation),
    streamAnswer: (turn) => streamAnswer({ ...webhooks, log: deps.turns.log }, turn),
  };
  const activities = {
    runNextTurn: createRunNextTurn(steps),
    runShortTurn: createRunShortTurn(steps),
    runTool: createRunTool(calls),
    nextStepOfRun: createNextStepOfRun(deps.agentWorkflows),
    tryTool: createTryTool(calls),
    callProvider: createCallProvider(providers),
    signInWithCli: createSignInWithCli(providers),
    failProviderSignIn: createFailSignIn(providers),
    listModels: createListModels(providers),
    tryIntegration: createTryIntegration(integrations),
    finishIntegrationSignIn: createFinishIntegrationSignIn(integrations),
    revokeGrant: createRevokeGrant(integrations),
    testDestination: createTestDestination(deps.destinations),
    readFromHost: createReadFromHost(issueSync),
    tellHost: createTellHost(issueSync),
    removeOrgRecords: createRemoveOrgRecords(orgs),
    removeOrgFiles: createRemoveOrgFiles(orgs),
    fetchMcpTools: createFetchMcpTools(mcpServers),
    advanceMcpSignIn: createAdvanceMcpSignIn(mcpServers),
    extractFileText: createExtractFileText(files),
    readKnowledgeDocument: createReadKnowledgeDocument(deps.knowledge),
    embedKnowledgeBase: createEmbedKnowledgeBase(deps.embeddings),
    embedQuery: createEmbedQuery(deps.embeddings),
    fetchMarketplaceIndex: createFetchMarketplaceIndex(marketplace),
    fetchRepoTree: createFetchRepoTree(codeHosts),
    enterNewMessages: createEnterNewMessages(deps.search),
    deliverNext: createDeliverNext(webhooks),
    receiveMessages: createReceiveMessages(deps.channels),
    nextStepOfTask: createNextStepOfTask(deps.tasks),
    runHousekeeping: createRunHousekeeping(deps.housekeeping),
    decideSlots: createDecideSlots(deps.schedules),
  };
  return { activities, steps };
}

/** The activities as workflows see them. */
export type Activities = ReturnType<typeof createActivities>['activities'];
