export { addOnce } from './add-once.ts';
export {
  findLive,
  markDeleted,
  MAX_NAMED_USERS,
  type NamedUsers,
  parseJsonTexts,
  purgeRows,
  readRecords,
  restoreDeleted,
  userName,
  uuidArray,
  type WithJsonTexts,
} from './records.ts';
