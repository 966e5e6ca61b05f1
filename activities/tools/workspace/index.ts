export { openWorkspace } from './open-workspace.ts';
export { type ListUploads, type Upload, withUploads } from './with-uploads.ts';
export type { Workspace } from './workspace.ts';
