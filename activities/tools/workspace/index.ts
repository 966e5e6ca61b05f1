export { openWorkspace } from './open-workspace.ts';
export type { Workspace } from './workspace.ts';
