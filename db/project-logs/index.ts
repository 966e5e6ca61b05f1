export { listProjectLogs } from './list-entries.ts';
export { type Actor, LOG_ENTRY_INSERT, noteInLog } from './note-entry.ts';
