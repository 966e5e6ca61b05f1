export { type CalculatingProcess, startChild } from './compute/index.ts';
export { asData } from './call/execute-call.ts';
export { type CallOutcome, digestOf } from './call/approved-call.ts';
export { isDiskFull, knownFailureOf, toolError } from './call/known-failure.ts';
export { type CallScope, type ContextDeps, toolContext } from './operations/tool-context.ts';
export { signIn } from './operations/connections/open-connections.ts';
export { composeToolsets, holdsKeyFor, keyFor, type Toolset, type ToolsetFor } from './toolset.ts';
export { type SourceDeps, toolSources } from './sources/index.ts';
export { createTryTool } from './trials/try-tool.ts';
export { freeBytesOf, LocalCopies, removeOldScratch } from './workspace/index.ts';
export type { ToolContext } from './context.ts';
export { ToolFailure } from './tool-failure.ts';
export {
  type CallDescription,
  type CallError,
  type CallPlan,
  NOTHING_ELSE,
  type Tool,
  type ToolParameters,
} from './tool.ts';
