export { listAuditEntries, MAX_COUNTED_ENTRIES } from './list-entries.ts';
export { type NewAuditEntry, recordAuditEntries } from './record-entries.ts';
