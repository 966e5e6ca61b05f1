export {
  type AttachedFile,
  type ChatFile,
  deleteFile,
  findAttachedFiles,
  findReadableFile,
  getFile,
  getFileOfDocument,
  listFiles,
  listUploads,
  requireChatForFiles,
  type StoredFile,
  type UploadedFile,
} from './files.ts';
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
