export {
  createKnowledgeBase,
  deleteKnowledgeBase,
  getKnowledgeBase,
  type KnowledgeBase,
  listKnowledgeBases,
  requireKnowledgeBases,
  updateKnowledgeBase,
} from './knowledge-bases.ts';
export {
  addDocument,
  deleteDocument,
  deleteDocumentsOf,
  DOCUMENT_SOURCES,
  DOCUMENT_STATUSES,
  type DocumentSource,
  getDocument,
  type KnowledgeDocument,
  listDocuments,
} from './documents.ts';
export { type FoundPassage, MAX_FOUND_PASSAGES, searchPassages } from './search-passages.ts';
export {
  beginReading,
  type DocumentToRead,
  failReading,
  postponeReading,
  takeBackReading,
  takeDueDocuments,
} from './reading.ts';
export { storePassages } from './store-passages.ts';
