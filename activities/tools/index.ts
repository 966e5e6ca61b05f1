export { asData } from './call/as-data.ts';
export { checkArguments } from './arguments/check-arguments.ts';
export { maskSecrets } from './call/mask-secrets.ts';
export { findTool } from './registry.ts';
export { refusal } from './refusal.ts';
export { runToolCall } from './call/run-tool-call.ts';
export type { ToolContext } from './tool.ts';
export { openWorkspace, type Workspace } from './workspace/index.ts';
