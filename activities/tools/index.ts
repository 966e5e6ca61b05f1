export { asData } from './as-data.ts';
export { checkArguments } from './check-arguments.ts';
export { maskSecrets } from './mask-secrets.ts';
export { findTool } from './registry.ts';
export { refusal } from './refusal.ts';
export { runToolCall } from './run-tool-call.ts';
export type { ToolContext } from './tool.ts';
export { openWorkspace, type Workspace } from './workspace/index.ts';
