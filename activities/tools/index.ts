export { type CalculatingProcess, lowerPriority, startChild } from './compute/index.ts';
export { asData } from './call/as-data.ts';
export { toolError } from './call/tool-error.ts';
export { type ContextDeps, toolContext } from './operations/tool-context.ts';
export { holdsKeyFor, keyFor } from './permission-key.ts';
export { type SourceDeps, toolSources } from './sources/index.ts';
export { composeToolsets, type Toolset, type ToolsetFor } from './toolset.ts';
export { createTryTool, type TryToolDeps } from './trials/try-tool.ts';
export type { CallError, CallPlan, Tool } from './tool.ts';
