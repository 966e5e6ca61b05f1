export { createReadKnowledgeDocument, type KnowledgeDeps } from './read-knowledge-document.ts';
