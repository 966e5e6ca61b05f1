export { documentsOf, type StaticDocument } from './documents.ts';
export { type Socket } from './openapi.ts';
