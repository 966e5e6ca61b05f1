export { createEmbedQuery, findQueryVectors, type VectorDeps } from './ask-for-vectors.ts';
export { createEmbedKnowledgeBase } from './embed-knowledge-base.ts';
