export { fileRoutes } from './routes.ts';
export { sendStoredFile, requireRoomForUploads, storeUpload } from './stored-files.ts';
