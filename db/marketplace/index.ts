export { type EditedRecord, installItem, ItemWasEdited } from './install-item.ts';
export { type Install, listInstalls } from './installs.ts';
