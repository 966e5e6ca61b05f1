export { removeTree } from './remove-tree.ts';
export type { SandboxEnding } from './launch.ts';
export { Sandbox, SandboxBusy, type SandboxState, SandboxUnavailable } from './sandbox.ts';
