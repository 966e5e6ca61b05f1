export { findLive, restoreDeleted } from './find-record.ts';
export { purgeRows } from './purge-rows.ts';
export { readRecords } from './read-records.ts';
