export { freeBytesOf } from './quota.ts';
export { openWorkspace } from './open-workspace.ts';
export { openScratch, removeOldScratch, type ListUploads, type Upload, withUploads } from './with-uploads.ts';
export { LocalCopies } from './travel/local-copies.ts';
export { travellingWorkspace } from './travel/travelling-workspace.ts';
export type { Workspace } from './workspace.ts';
