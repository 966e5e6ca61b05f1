export {
  beginContent,
  endContent,
  purgeUnusedContents,
  readContentPiece,
  readSmallContents,
  ROW_STORE,
  type SmallContent,
  type SnapshotContent,
  storeContentPiece,
  storeSmallContents,
  type WorkspacePlace,
} from './contents.ts';
export { endLease, findWorkspaceVersion, type Lease, renewLease, takeLease } from './lease.ts';
export { getWorkspaceFile, listWorkspace } from './list-workspace.ts';
export { readSnapshot, type SnapshotEntry, storeSnapshot, type WorkspacePart } from './snapshot.ts';
