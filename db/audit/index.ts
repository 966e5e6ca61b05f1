export { listAuditEntries, MAX_COUNTED_ENTRIES, type StoredAuditEntry } from './list-entries.ts';
export { type NewAuditEntry, recordAuditEntries } from './record-entries.ts';
