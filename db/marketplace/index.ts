export { findOfferedItem, type ListedItem, listOfferedItems, storeIndexItem } from './index-items.ts';
export { type EditedRecord, installItem, ItemWasEdited, type RecordState } from './install-item.ts';
export { type Install, listInstalls } from './installs.ts';
export {
  askForIndexes,
  findIndex,
  type IndexState,
  type KnownItem,
  listIndexes,
  noteFetchedIndex,
  noteIndexFailure,
  purgeIndexes,
  takeDueIndexes,
} from './marketplace-indexes.ts';
