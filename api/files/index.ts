export { fileRoutes } from './routes.ts';
export { sendStoredFile } from './send-stored-file.ts';
export { requireRoomForUploads, storeUpload } from './store-upload.ts';
