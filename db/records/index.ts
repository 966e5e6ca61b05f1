export { findLive, restoreDeleted } from './find-record.ts';
export { readRecords } from './read-records.ts';
