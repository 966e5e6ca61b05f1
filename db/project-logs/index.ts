export {
  type Actor,
  listProjectLogs,
  LOG_ENTRY_INSERT,
  noteInLog,
  noteSynced,
  type ProjectLogEntry,
  purgeProjectLogs,
} from './project-logs.ts';
