export {
  beginContent,
  endContent,
  purgeUnusedContents,
  readSmallContents,
  ROW_STORE,
  type SmallContent,
  type SnapshotContent,
  storeSmallContents,
} from './contents.ts';
export { endLease, findWorkspaceVersion, type Lease, renewLease, takeLease } from './lease.ts';
export { getWorkspaceFile, listWorkspace } from './list-workspace.ts';
export { readContentPiece, storeContentPiece } from './pieces.ts';
export type { WorkspacePlace } from './place.ts';
export { readSnapshot, type SnapshotEntry, storeSnapshot, type WorkspacePart } from './snapshot.ts';
