export { type CalculatingProcess, startChild } from './compute/index.ts';
export { asData } from './call/as-data.ts';
export { maskSecrets } from './call/mask-secrets.ts';
export { toolError } from './call/tool-error.ts';
export { type ContextDeps, toolContext } from './operations/tool-context.ts';
export { holdsKeyFor, keyFor } from './permission-key.ts';
export { type SourceDeps, toolSources } from './sources/index.ts';
export { composeToolsets, type Toolset, type ToolsetFor } from './toolset.ts';
export type { CallError, CallPlan, Tool } from './tool.ts';
