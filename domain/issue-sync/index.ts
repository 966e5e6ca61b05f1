export { fromGithubComment, fromGithubIssue, githubCommentSchema, githubIssueSchema } from './github-records.ts';
export { fromGitlabIssue, fromGitlabNote, gitlabIssueSchema, gitlabNoteSchema } from './gitlab-records.ts';
export {
  contentOf,
  hostKeyOf,
  isStorableNumber,
  markedId,
  type RemoteComment,
  type RemoteIssue,
  type RemoteState,
  secondOf,
  withMarker,
} from './remote-records.ts';
export { type HostEvent, readHostEvent, repositoryIn } from './host-event.ts';
export {
  type HostChanges,
  hostChangesOf,
  type LocalFields,
  mergeFields,
  statusOfNew,
  SYNC_DIRECTIONS,
  SYNC_STATUSES,
  type SyncConflict,
  type SyncDirection,
  type SyncedFields,
  type SyncStatus,
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
