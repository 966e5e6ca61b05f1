import { withOrgTransaction } from '../../db/core/index.ts';
import { findReadableFile } from '../../db/files/index.ts';
import {
  addDocument,
  deleteDocument,
  type DocumentSource,
  getDocument,
  listDocuments,
} from '../../db/knowledge-bases/index.ts';
import { present, presenter, toFields } from '../../domain/core/record-names.ts';
import { cut, firstLine, toShowable } from '../../domain/core/text.ts';
import { readerOf } from '../chats/index.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { defineRoute } from '../http/define-route.ts';
import { idParams } from '../resources/id-fields.ts';
import { documentQuery, documentSchema, newDocumentSchema } from './schema.ts';

const view = { resource: 'knowledge_documents', access: 'knowledge_bases.view', tag: 'Knowledge bases' } as const;
const manage = { resource: 'knowledge_documents', access: 'knowledge_bases.manage', tag: 'Knowledge bases' } as const;
const params = idParams('knowledge_base_id', 'document_id');
const path = '/api/knowledge-bases/{knowledge_base_id}/documents';

export const documentRoutes = [
  defineRoute({
    ...view,
    method: 'get',
    path,
    operationId: 'listKnowledgeDocuments',
    summary: 'The documents of a knowledge base, oldest first',
    params: idParams('knowledge_base_id'),
    query: documentQuery,
    response: { status: 200, schema: documentSchema.array() },
    handler: async ({ caller, params: { knowledge_base_id: id }, query, answerPage }, { database }) =>
      answerPage(await listDocuments(database, caller.orgId, id, query)).map(presenter(documentSchema)),
  }),
  defineRoute({
    ...view,
    method: 'get',
    path: `${path}/{document_id}`,
    operationId: 'getKnowledgeDocument',
    summary: 'How a document of a knowledge base stands',
    params,
    response: { status: 200, schema: documentSchema },
    handler: async (
      { caller, params: { knowledge_base_id: knowledgeBaseId, document_id: documentId } },
      { database },
    ) => present(documentSchema, await getDocument(database, { orgId: caller.orgId, knowledgeBaseId, documentId })),
  }),
  defineRoute({
    ...manage,
    method: 'post',
    path,
    operationId: 'addKnowledgeDocument',
    summary: 'Add a document to a knowledge base: a text, a file of a chat, or a page',
    description:
      'The document is stored as `pending` and read in the background. Poll it by its id until it is `ready`, or `failed`. 409 when the base has the same text, file or address already.',
    params: idParams('knowledge_base_id'),
    body: newDocumentSchema,
    errors: [409],
    response: { status: 201, schema: documentSchema },
    handler: async ({ caller, params: { knowledge_base_id: knowledgeBaseId }, body }, context) => {
      const { database, orgLimits: limits } = context;
      const { orgId, userId } = caller;
      const { tags, ...given } = toFields(newDocumentSchema, body);
      const { source, title } = await namedSource(context, caller, given);
      const document = { orgId, knowledgeBaseId, userId, title, tags, source };
      const documentId = await withOrgTransaction(database, orgId, async (em) => addDocument(em, document, { limits }));
      return present(documentSchema, await getDocument(database, { orgId, knowledgeBaseId, documentId }));
    },
  }),
  defineRoute({
    ...manage,
    method: 'delete',
    path: `${path}/{document_id}`,
    operationId: 'deleteKnowledgeDocument',
    summary: 'Delete a document permanently, with its passages',
    params,
    response: { status: 204 },
    handler: async (
      { caller, params: { knowledge_base_id: knowledgeBaseId, document_id: documentId } },
      { database },
    ) => {
      await withOrgTransaction(database, caller.orgId, async (em) =>
        deleteDocument(em, { knowledgeBaseId, documentId }),
      );
    },
  }),
];

interface GivenDocument {
  readonly title?: string | undefined;
  readonly text?: string | undefined;
  readonly fileId?: string | undefined;
  readonly url?: string | undefined;
}

interface NamedSource {
  readonly source: DocumentSource;
  readonly title: string;
}

// The schema has made sure that there is an address where there is nothing else.
async function namedSource(
  { database }: ApiContext,
  caller: OrgCaller,
  { title, text, fileId, url = '' }: GivenDocument,
): Promise<NamedSource> {
  if (fileId !== undefined) {
    const file = await findReadableFile(database, readerOf(caller), fileId);
    return { source: { fileId, url }, title: title ?? titleOfFile(file.name) };
  }
  if (text !== undefined) return { source: { text, url }, title: title ?? titleOf(text) };
  return { source: { url }, title: title ?? titleOf(url) };
}

const MAX_CHARACTERS = 200;
const UNTITLED = 'Untitled';

/** Returns the title of a document without one: the first line of its text, without the marks of Markdown. */
function titleOf(text: string): string {
  return firstLine(text, MAX_CHARACTERS) || UNTITLED;
}

/** Returns the title of a document without one whose text is that of a file. */
export function titleOfFile(name: string): string {
  return cut(toShowable(name).trim(), MAX_CHARACTERS) || UNTITLED;
}
