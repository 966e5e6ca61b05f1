export { FILE_STATUSES, type FileStatus, isImage, isShownImage } from './chat-file.ts';
export { type FilesLocation, parseFilesLocation } from './files-location.ts';
export { isPlainText, isReadable } from './readable-types.ts';
export { freePathName, textNameOf, toPathName, UPLOADS } from './path-name.ts';
