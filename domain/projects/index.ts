export { REPO_TYPES, type RepoType, repoTypeOf, repoUrlIssue } from './repository.ts';
export { LOG_ACTIONS, LOG_RECORD_TYPES, type LogAction, type LogChanges, type LogRecordType } from './log-entry.ts';
