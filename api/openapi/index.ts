export { documentsOf } from './documents.ts';
export type { Socket } from './sockets.ts';
