import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { getFileOfDocument } from '../../db/files/index.ts';
import { addDocument, getDocument, getKnowledgeBase } from '../../db/knowledge-bases/index.ts';
import { present } from '../../domain/core/record-names.ts';
import { isReadable } from '../../domain/files.ts';
import { requireRoomForUploads, sendStoredFile, storeUpload } from '../files/index.ts';
import { defineDownloadRoute, defineUploadRoute } from '../http/define-route.ts';
import { fieldIssue } from '../http/problem.ts';
import { idParams } from '../resources/id-fields.ts';
import { documentSchema, uploadedDocumentQuery } from './schema.ts';
import { titleOfFile } from './document-routes.ts';

const head = { resource: 'knowledge_documents', tag: 'Knowledge bases' } as const;
/** The container of the files of old Office programs, and of those that a password protects. */
const COMPOUND = 'application/x-cfb';
/** What such a file holds when it is an Office file with a password. */
const LOCKED = Buffer.from('EncryptedPackage', 'utf16le');
const path = '/api/knowledge-bases/{knowledge_base_id}/documents';

export const documentFileRoutes = [
  defineUploadRoute({
    ...head,
    access: 'knowledge_bases.manage',
    method: 'post',
    path: `${path}/upload`,
    operationId: 'uploadKnowledgeDocument',
    summary: 'Add a file to a knowledge base as a document',
    description:
      'A multipart form with one part, `file`. Its type is told by its content; 422 for one of which no text can be extracted. The document is stored as `pending`, and its text is extracted in the background: poll it by its id until it is `ready`, or `failed`. 409 when the base has a file of the same content already, and when the organization has no room.',
    params: idParams('knowledge_base_id'),
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
            addDocument: async (em, uploadId) => {
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
    summary: 'The file that a document was uploaded as',
    description:
      'Always as an attachment. `Range` asks for a part of it, and `If-Range` and `If-None-Match` take its `ETag`. 404 for documents with another source than `upload`.',
    params: idParams('knowledge_base_id', 'document_id'),
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
