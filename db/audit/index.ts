export { listAuditEntries, MAX_COUNTED_ENTRIES, type NewAuditEntry, recordAuditEntries } from './audit-entries.ts';
