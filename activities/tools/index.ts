export { type CalculatingProcess, startChild } from './compute/start-child.ts';
export { compute } from './compute/compute.ts';
export { asData, type CallOutcome, digestOf, isDiskFull, knownFailureOf, toolError } from './call/execute-call.ts';
export {
  type CallScope,
  type ContextDeps,
  runLargeWork,
  toolContext,
  type WorkspaceDeps,
  workspaceOf,
} from './operations/tool-context.ts';
export { connectionsOf, signIn } from './operations/connections/open-connections.ts';
export type { OutgoingMail } from './operations/connections/send-mail.ts';
export { openServiceOf } from './operations/open-integration.ts';
export { callSlack, shareInSlack, slackTeamOf } from './builtin/communication/slack.ts';
export { callTelegram, sendDocument } from './builtin/communication/telegram.ts';
export { nonceOf } from './builtin/communication/discord.ts';
export { webhookMessage } from './builtin/communication/ms-teams.ts';
export { encodeForm, pathOf } from './builtin/services/service-tool.ts';
export type { Block, Span, ComputeJob } from './compute/job.ts';
export { composeToolsets, holdsKeyFor, keyFor, type Toolset, type ToolsetFor } from './toolset.ts';
export { type SourceDeps, toolSources } from './sources/index.ts';
export { createTryTool } from './trials/try-tool.ts';
export { freeBytesOf } from './workspace/quota.ts';
export { LocalCopies } from './workspace/travel/local-copies.ts';
export { removeOldScratch } from './workspace/with-uploads.ts';
export type { Workspace } from './workspace/workspace.ts';
export { filePath, folderPath } from './workspace/workspace-path.ts';
export type { Service, ToolContext } from './context.ts';
export { ToolFailure } from './tool-failure.ts';
export {
  type CallDescription,
  type CallError,
  type CallPlan,
  NOTHING_ELSE,
  type Tool,
  type ToolParameters,
} from './tool.ts';
