export {
  CODE_HOST_KINDS,
  type CodeHostKind,
  REPO_STATUSES,
  isRepositoryName,
  REPO_TYPES,
  type RepoStatus,
  type RepoType,
  repoTypeOf,
  withoutGitSuffix,
  repoUrlIssue,
} from './repository.ts';
export { LOG_ACTIONS, LOG_RECORD_TYPES, type LogAction, type LogChanges, type LogRecordType } from './log-entry.ts';
