/** The type of the workflow that reads a document of a knowledge base. */
export const READ_DOCUMENT = 'readDocument';

export interface ReadDocumentInput {
  readonly orgId: string;
  readonly knowledgeBaseId: string;
  readonly documentId: string;
}

/** Returns the workflow's id: a document is read once at a time. */
export function readDocumentId({ orgId, documentId }: Pick<ReadDocumentInput, 'orgId' | 'documentId'>): string {
  return `knowledge-document/${orgId}/${documentId}`;
}

/** The type of the workflow that gives vectors to the passages of a knowledge base. */
export const EMBED_KNOWLEDGE_BASE = 'embedKnowledgeBase';

export interface EmbedKnowledgeBaseInput {
  readonly orgId: string;
  readonly knowledgeBaseId: string;
}

/** Returns the workflow's id: one run at a time asks for the vectors of a knowledge base. */
export function embedKnowledgeBaseId({ orgId, knowledgeBaseId }: EmbedKnowledgeBaseInput): string {
  return `knowledge-embedding/${orgId}/${knowledgeBaseId}`;
}

/** The type of the workflow that turns a query into vectors. */
export const EMBED_QUERY = 'embedQuery';

/** A stored query. */
export interface EmbedQueryInput {
  readonly orgId: string;
  readonly queryId: string;
}

/** Returns the workflow's id. */
export function embedQueryId({ orgId, queryId }: EmbedQueryInput): string {
  return `knowledge-query/${orgId}/${queryId}`;
}
