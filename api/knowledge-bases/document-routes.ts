import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { findReadableFile, getFileOfDocument } from '../../db/files/files.ts';
import {
  addDocument,
  deleteDocument,
  type DocumentSource,
  getDocument,
  listDocuments,
} from '../../db/knowledge-bases/documents.ts';
import { getKnowledgeBase } from '../../db/knowledge-bases/knowledge-bases.ts';
import { present, presenter, toFields } from '../../domain/core/record-names.ts';
import { isReadable } from '../../domain/files.ts';
import { requireRoomForUploads, sendStoredFile, storeUpload } from '../files/stored-files.ts';
import { defineDownloadRoute, defineRoute, defineUploadRoute } from '../http/define-route.ts';
import { fieldIssue } from '../http/problem.ts';
import { documentQuery, documentSchema, newDocumentSchema, uploadedDocumentQuery } from './schema.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { cut, firstLine, toShowable } from '../../domain/core/text.ts';
import { readerOf } from '../chats/own-chat.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';

const path = '/api/knowledge-bases/{knowledge_base_id}/documents';

const view = { resource: 'knowledge_documents', access: 'knowledge_bases.view', tag: 'Knowledge bases' } as const;
const manage = { resource: 'knowledge_documents', access: 'knowledge_bases.manage', tag: 'Knowledge bases' } as const;

export const documentRoutes = [
  defineRoute({
    ...view,
    method: 'get',
    path,
    operationId: 'listKnowledgeDocuments',
    summary: 'List the documents of a knowledge base, oldest first',
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
    summary: 'Get a document of a knowledge base, with its status',
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
      'The document is stored as `pending` and read in the background. Poll it by its id until it is `ready`, or `failed`. 409 when the knowledge base already has the same text, file or URL.',
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
function titleOfFile(name: string): string {
  return cut(toShowable(name).trim(), MAX_CHARACTERS) || UNTITLED;
}

const head = { resource: 'knowledge_documents', tag: 'Knowledge bases' } as const;
/** The container of the files of old Office programs, and of those that a password protects. */
const COMPOUND = 'application/x-cfb';
/** What an Office file with a password contains. */
const LOCKED = Buffer.from('EncryptedPackage', 'utf16le');
export const documentFileRoutes = [
  defineUploadRoute({
    ...head,
    access: 'knowledge_bases.manage',
    method: 'post',
    path: `${path}/upload`,
    operationId: 'uploadKnowledgeDocument',
    summary: 'Add a file to a knowledge base as a document',
    description:
      'A multipart form with one part, `file`. Its type is detected from its content; 422 when no text can be extracted from that type. The document is stored as `pending`, and its text is extracted in the background: poll it by its id until it is `ready` or `failed`. 409 when the knowledge base already has a file with the same content, or when the organization is out of storage.',
    query: uploadedDocumentQuery,
    upload: { description: 'The file; at most 25 MB unless the operator has set another limit' },
    response: { status: 201, schema: documentSchema },
    handler: async ({ caller, params, query, receive, authorizeAgain }, context) => {
      const { database, orgLimits: limits, uploads } = context;
      const { orgId, userId } = caller;
      const { title, tags = [] } = query;
      const ref = { orgId, knowledgeBaseId: params.knowledge_base_id, documentId: uuidv7() };
      await getKnowledgeBase(database, orgId, ref.knowledgeBaseId);
      await requireRoomForUploads(context, caller);
      const leave = uploads.acquire(caller);
      try {
        await receive({ maxBytes: limits.uploadBytesOfOne }, async ({ name, bytes }) => {
          const content = digested(bytes);
          const document = { ...ref, userId, title: title ?? titleOfFile(name), tags };
          await storeUpload(context, {
            owner: caller,
            chatId: null,
            file: { name, bytes: content.bytes },
            check: requireReadable,
            confirm: authorizeAgain,
            attach: async (em, uploadId) => {
              const source = { uploadId, contentDigest: content.digest() };
              return addDocument(em, { ...document, source }, { limits, id: ref.documentId });
            },
          });
        });
        return present(documentSchema, await getDocument(database, ref));
      } finally {
        leave();
      }
    },
  }),
  defineDownloadRoute({
    ...head,
    access: 'knowledge_bases.view',
    method: 'get',
    path: `${path}/{document_id}/content`,
    action: 'download',
    operationId: 'downloadKnowledgeDocument',
    summary: 'Download the uploaded file of a document',
    description:
      "Always sent as an attachment. `Range` requests a part of it, and `If-Range` and `If-None-Match` accept its `ETag`. 404 unless the document's source is `upload`.",
    errors: [429],
    response: { status: 200, download: 'The bytes of the file' },
    handler: async ({ caller, params }, context, reply) => {
      const { database } = context;
      const { orgId } = caller;
      const { knowledge_base_id: knowledgeBaseId, document_id: documentId } = params;
      await getDocument(database, { orgId, knowledgeBaseId, documentId });
      await sendStoredFile(context, caller, reply, await getFileOfDocument(database, orgId, documentId));
    },
  }),
];

// A document without a text would be found by nobody.
function requireReadable(mediaType: string, sample: Buffer): void {
  if (isReadable(mediaType)) return;
  if (mediaType === COMPOUND && sample.includes(LOCKED))
    throw fieldIssue('file', 'this Office file is protected by a password');
  throw fieldIssue(
    'file',
    `PDF, Word (.docx), Excel (.xlsx), HTML and text can be added, not files of the type ${mediaType}`,
  );
}

/** Returns the bytes as they come, and the digest of those that have come. */
function digested(source: AsyncIterable<Buffer>) {
  const hash = createHash('sha256');
  return {
    digest: () => hash.copy().digest('base64url'),
    bytes: (async function* bytes(): AsyncGenerator<Buffer, void, undefined> {
      for await (const chunk of source) {
        hash.update(chunk);
        yield chunk;
      }
    })(),
  };
}
