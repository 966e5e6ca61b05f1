export { addOnce } from './add-once.ts';
export { findLive, markDeleted, restoreDeleted } from './find-record.ts';
export { purgeRows } from './purge-rows.ts';
export { readRecords } from './read-records.ts';
export { parseJsonTexts, type WithJsonTexts } from './json-texts.ts';
export { userName } from './user-name.ts';
export { uuidArray } from './uuid-array.ts';
export { MAX_NAMED_USERS, type NamedUsers } from './named-users.ts';
