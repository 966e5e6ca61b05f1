export { fromGithubComment, fromGithubIssue, githubCommentSchema, githubIssueSchema } from './github-records.ts';
export { fromGitlabIssue, fromGitlabNote, gitlabIssueSchema, gitlabNoteSchema } from './gitlab-records.ts';
export { contentOf, markedId, withMarker } from './comment-marker.ts';
export { type HostEvent, readHostEvent, repositoryIn } from './host-event.ts';
export { hostKeyOf } from './host-key.ts';
export {
  type HostChanges,
  hostChangesOf,
  type LocalFields,
  mergeFields,
  statusOfNew,
  type SyncConflict,
  type SyncedFields,
} from './merge-fields.ts';
export {
  behind,
  further,
  isEndless,
  nextPosition,
  type SyncPosition,
  syncPositionSchema,
  withSmallerPages,
} from './position.ts';
export { isStorableNumber, secondOf } from './record-fields.ts';
export type { RemoteComment, RemoteIssue, RemoteState } from './remote-records.ts';
export { SYNC_DIRECTIONS, SYNC_STATUSES, type SyncDirection, type SyncStatus } from './sync-status.ts';
