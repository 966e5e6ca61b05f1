export {
  type ChatFile,
  deleteFile,
  findReadableFile,
  getFile,
  getFileOfDocument,
  listFiles,
  requireChatForFiles,
  type StoredFile,
} from './files.ts';
export { type AttachedFile, findAttachedFiles, listUploads, type UploadedFile } from './for-turns.ts';
export { findRemovedFiles, forgetRemovedFile, postponeRemoval } from './removed-files.ts';
export { PIECE_BYTES, readPiece, storePiece } from './pieces.ts';
export {
  beginExtraction,
  findFileToExtract,
  type FileToRead,
  findTextState,
  findUnreadFiles,
  readTextPiece,
  storeFileFailure,
  storeFileText,
  takeBackExtraction,
  TEXT_PIECE_CHARACTERS,
} from './texts.ts';
export { abandonUpload, beginUpload, finishUpload, purgeAbandonedUploads, requireRoomForUpload } from './uploads.ts';
