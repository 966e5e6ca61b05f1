export { findOfferedItem, type ListedItem, listOfferedItems, storeIndexItem } from './index-items.ts';
export {
  type ComparedRecord,
  compareItem,
  type EditedRecord,
  installItem,
  ItemWasEdited,
  type RecordState,
} from './install-item.ts';
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
