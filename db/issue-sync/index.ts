export { findWebhook, type HostWebhook, purgeDeliveries, takeDelivery } from './deliveries.ts';
export { nextIssueWithComments, noteCommentsRead, storeComments } from './store-comments.ts';
export { getSync, listSyncs, type ProjectSync, requestSync, type SyncRef, findOverdueSyncs } from './project-syncs.ts';
export {
  purgeGone,
  purgeSyncs,
  beginReading,
  keepEtag,
  readEtag,
  readMarks,
  readRepoId,
  completeSync,
  failSync,
  type Gains,
  noteSyncWait,
  readProgress,
  takeStep,
} from './sync-progress.ts';
export { type HostedProject, storeIssues } from './store-issues.ts';
