export { findOfferedItem, type ListedItem, listOfferedItems, storeIndexItem } from './index-items.ts';
export { type ComparedRecord, compareItem } from './compare-item.ts';
export { type EditedRecord, ItemWasEdited, type RecordState } from './edited-record.ts';
export { installItem } from './install-item.ts';
export { type Install, listInstalls } from './installs.ts';
export {
  addIndexes,
  askForIndexes,
  beginIndexFetch,
  findIndexWait,
  findOverdueIndexes,
  type IndexState,
  type KnownItem,
  listIndexes,
  noteFetchedIndex,
  noteIndexFailure,
  purgeIndexes,
} from './marketplace-indexes.ts';
