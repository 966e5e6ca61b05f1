export { addOnce } from './add-once.ts';
export {
  findLive,
  flushUnique,
  lockRecord,
  markDeleted,
  MAX_NAMED_USERS,
  type NamedUsers,
  parseJsonTexts,
  purgeRows,
  readRecords,
  requireRecord,
  restoreDeleted,
  userName,
  uuidArray,
  type WithJsonTexts,
} from './records.ts';
