export { filePath, folderPath, ROOT, type WorkspacePath } from './workspace-path.ts';
export { openWorkspace } from './open-workspace.ts';
export type { Entry, Workspace } from './workspace.ts';
