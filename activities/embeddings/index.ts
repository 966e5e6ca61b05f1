export type { VectorDeps } from './ask-for-vectors.ts';
export { createEmbedKnowledgeBase } from './embed-knowledge-base.ts';
export { createEmbedQuery } from './embed-query.ts';
export { findQueryVectors } from './find-query-vectors.ts';
