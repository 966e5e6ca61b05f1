export { type CalculatingProcess, startChild } from './compute/index.ts';
export { asData } from './call/as-data.ts';
export { digestOf } from './call/approved-call.ts';
export type { CallOutcome } from './call/call-outcome.ts';
export { isDiskFull, knownFailureOf } from './call/known-failure.ts';
export { toolError } from './call/tool-error.ts';
export { type CallScope, type ContextDeps, toolContext } from './operations/tool-context.ts';
export { signIn } from './operations/connections/sign-in.ts';
export { holdsKeyFor, keyFor } from './permission-key.ts';
export { type SourceDeps, toolSources } from './sources/index.ts';
export { composeToolsets, type Toolset, type ToolsetFor } from './toolset.ts';
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
