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
