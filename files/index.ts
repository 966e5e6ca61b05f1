export { copyFile, FileStores } from './file-stores.ts';
export { FileGone } from './file-store.ts';
