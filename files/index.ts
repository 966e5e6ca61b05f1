export { copyFile } from './copy-file.ts';
export { FileGone } from './file-store.ts';
export { FileStores } from './file-stores.ts';
