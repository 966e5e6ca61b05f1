export { listProjectLogs, type ProjectLogEntry } from './list-entries.ts';
export { purgeProjectLogs } from './purge-entries.ts';
export { type Actor, LOG_ENTRY_INSERT, noteInLog, noteSynced } from './note-entry.ts';
