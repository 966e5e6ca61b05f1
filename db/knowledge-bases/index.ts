export {
  createKnowledgeBase,
  deleteKnowledgeBase,
  getKnowledgeBase,
  type KnowledgeBase,
  listKnowledgeBases,
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
export {
  answerQuery,
  createQuery,
  noteQueryCost,
  purgeQueries,
  type QueryTarget,
  type QueryVector,
  readQuery,
  takeQuery,
} from './search/queries.ts';
export {
  type FindVectors,
  type FoundPassage,
  MAX_FOUND_PASSAGES,
  type MeaningReport,
  SEARCH_KINDS,
  searchedBy,
  searchPassages,
} from './search/search-passages.ts';
export {
  beginReading,
  type DocumentToRead,
  failReading,
  findUnreadDocuments,
  postponeReading,
  takeBackReading,
} from './reading.ts';
export {
  beginVectors,
  deleteVectors,
  type EmbeddingRef,
  type EmbeddingState,
  endEmbedding,
  findEmbeddingWait,
  findOverdueEmbeddings,
  findUnembedded,
  OtherDimensions,
  postponeEmbedding,
  readEmbedding,
  storeVectors,
  type UnembeddedPassage,
  type VectorSet,
  wakeEmbeddings,
} from './embedding.ts';
export { storePassages } from './store-passages.ts';
