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
  endLease,
  findWorkspaceVersion,
  type Lease,
  renewLease,
  takeLease,
} from './contents.ts';
export { getWorkspaceFile, listWorkspace } from './list-workspace.ts';
export { readSnapshot, type SnapshotEntry, storeSnapshot, type WorkspacePart } from './snapshot.ts';
