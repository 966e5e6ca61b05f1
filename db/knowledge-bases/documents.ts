import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import type { DueWork } from '../../domain/core/due-work.ts';
import { toStorableText } from '../../domain/core/text.ts';
import { afterCommit } from '../core/after-commit.ts';
import type { Database, TenantDatabase } from '../core/database.ts';
import { type Listed, type Page, readPage } from '../core/page.ts';
import { withOrgTransaction } from '../core/transactions.ts';
import { fairBatch, OVERDUE } from '../core/sql.ts';
import { isThereAlready, lockBase, requireRoomForKnowledge } from './knowledge-bases.ts';
import { limitReached, notFound } from '../../domain/core/app-error.ts';
import type { OrgLimits } from '../../domain/orgs.ts';
import type { Statement } from '../core/sql-pool.ts';

/** Where the text of a document comes from. */
export const DOCUMENT_SOURCES = ['text', 'file', 'upload', 'url'] as const;

/** The states of a document: its text is not read yet, is being read, can be searched, or could not be read. */
export const DOCUMENT_STATUSES = ['pending', 'processing', 'ready', 'failed'] as const;

/** The source of a document. */
export type DocumentSource =
  | (Link & { readonly text: string })
  /** A file of a chat. */
  | (Link & { readonly fileId: string })
  /** A file that was uploaded as this document, and the digest that identifies its content. */
  | { readonly uploadId: string; readonly contentDigest: string }
  /** A page, which is fetched. */
  | { readonly url: string };

/** Where a text or file comes from; it is only shown. */
interface Link {
  readonly url?: string | undefined;
}

/** A document of a knowledge base. */
export interface KnowledgeDocument {
  readonly id: string;
  readonly knowledgeBaseId: string;
  /** Who added it; null when they are gone. */
  readonly userId: string | null;
  readonly title: string;
  readonly source: (typeof DOCUMENT_SOURCES)[number];
  readonly url: string | null;
  readonly fileId: string | null;
  readonly tags: readonly string[];
  readonly status: (typeof DOCUMENT_STATUSES)[number];
  /** Why it could not be read. */
  readonly error: string | null;
  /** The length of its text; null until that was read. */
  readonly characters: number | null;
  readonly passages: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A document and where it is. */
export interface DocumentRef {
  readonly orgId: string;
  readonly knowledgeBaseId: string;
  readonly documentId: string;
}

/** The documents that a knowledge base may have, so that a list of them can be read to its end. */
const MAX_DOCUMENTS = 5_000;

const THING = 'Document';
const DOCUMENT = `d.id, d.knowledge_base_id as "knowledgeBaseId", d.user_id as "userId", d.title, d.source, d.url,
  d.file_id as "fileId", d.tags, d.status, d.error, d.characters, d.passages, d.created_at as "createdAt",
  d.updated_at as "updatedAt"`;

/** Returns a page of the documents of a knowledge base, oldest first; `not_found` when there is no such base. */
export async function listDocuments(
  { tenant }: TenantDatabase,
  orgId: string,
  knowledgeBaseId: string,
  { status = null, ...page }: Page & { readonly status?: KnowledgeDocument['status'] | null | undefined },
): Promise<Listed<KnowledgeDocument>> {
  const base: Statement = {
    name: 'base-of-documents',
    text: 'select id from knowledge_bases where id = $1',
    values: [knowledgeBaseId],
  };
  const read = async (statement: Statement) => {
    const [bases, rows] = await tenant.series(orgId, [base, statement]);
    if (bases?.length !== 1) throw notFound('Knowledge base');
    return rows ?? [];
  };
  return readPage<KnowledgeDocument>(read, {
    name: 'list-knowledge-documents',
    columns: DOCUMENT,
    bytes: `600 + octet_length(d.title) + octet_length(d.tags::text) + coalesce(octet_length(d.url), 0)
      + coalesce(octet_length(d.error), 0)`,
    source: 'from knowledge_documents d where d.knowledge_base_id = $1 and ($2::text is null or d.status = $2)',
    order: 'd.id',
    values: [knowledgeBaseId, status],
    page,
  });
}

/** Returns the document; `not_found` when the knowledge base has none of this id. */
export async function getDocument(
  { tenant }: TenantDatabase,
  { orgId, knowledgeBaseId, documentId }: DocumentRef,
): Promise<KnowledgeDocument> {
  const [document] = await tenant.query<KnowledgeDocument>(orgId, {
    name: 'get-knowledge-document',
    text: `select ${DOCUMENT} from knowledge_documents d where d.id = $1 and d.knowledge_base_id = $2`,
    values: [documentId, knowledgeBaseId],
  });
  if (document === undefined) throw notFound(THING);
  return document;
}

interface NewDocument {
  readonly orgId: string;
  readonly knowledgeBaseId: string;
  readonly userId: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly source: DocumentSource;
}

interface AddOptions {
  readonly limits: OrgLimits;
  readonly id?: string | undefined;
}

/**
 * Adds a document, whose text is to be read, and returns its id: the caller's or a new one. The same id again adds
 * nothing. `conflict` when the base has this text, file or address already, and when a limit is reached.
 */
export async function addDocument(
  em: EntityManager,
  { orgId, knowledgeBaseId, userId, title, tags, source }: NewDocument,
  { limits, id = uuidv7() }: AddOptions,
): Promise<string> {
  const { documents } = await lockBase(em, knowledgeBaseId);
  const { kind, text, fileId, url, identity } = columnsOf(source);
  const digest = createHash('sha256').update(`${kind} ${identity}`).digest('base64url');
  const [known] = await em.execute<{ id: string; title: string }[]>(
    `select id, title from knowledge_documents
      where id = ? or (knowledge_base_id = ? and digest = ? and status <> 'failed') order by id = ? desc limit 1`,
    [id, knowledgeBaseId, digest, id],
  );
  if (known?.id === id) return id;
  if (known !== undefined) throw isThereAlready(known.title);
  if (documents >= MAX_DOCUMENTS) throw limitReached('documents', MAX_DOCUMENTS, { whose: 'base' });
  const bytes = text === null ? 0 : Buffer.byteLength(text);
  await requireRoomForKnowledge(em, orgId, bytes, limits);
  await em.execute(
    `insert into knowledge_documents
        (id, org_id, knowledge_base_id, user_id, title, source, url, file_id, given_text, digest, tags, bytes)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb, ?)`,
    [id, orgId, knowledgeBaseId, userId, title, kind, url, fileId, text, digest, JSON.stringify(tags), bytes],
  );
  await em.execute(
    'update knowledge_bases set documents = documents + 1, bytes = bytes + ?, updated_at = now() where id = ?',
    [bytes, knowledgeBaseId],
  );
  afterCommit(em, { dueWork: [{ kind: 'document', orgId, knowledgeBaseId, documentId: id }] });
  return id;
}

// `identity` is what a base has once.
function columnsOf(source: DocumentSource) {
  if ('uploadId' in source) {
    const { uploadId: fileId, contentDigest: identity } = source;
    return { kind: 'upload', text: null, fileId, url: null, identity };
  }
  const { url = null } = source;
  if ('text' in source) return { kind: 'text', text: source.text, fileId: null, url, identity: source.text };
  if ('fileId' in source) return { kind: 'file', text: null, fileId: source.fileId, url, identity: source.fileId };
  return { kind: 'url', text: null, fileId: null, url, identity: url };
}

/** Deletes documents of an organization that is removed, at most `limit`, and returns how many. */
export async function deleteDocumentsOf(system: Database['system'], orgId: string, limit: number): Promise<number> {
  const { rowCount } = await system.query(
    `delete from knowledge_documents
      where id = any(array(select id from knowledge_documents where org_id = $1 limit $2))`,
    [orgId, limit],
  );
  return rowCount ?? 0;
}

/** Deletes a document for good with its passages; `not_found` when the knowledge base has none of this id. */
export async function deleteDocument(
  em: EntityManager,
  { knowledgeBaseId, documentId }: Omit<DocumentRef, 'orgId'>,
): Promise<void> {
  await lockBase(em, knowledgeBaseId);
  const [deleted] = await em.execute<{ passages: number; bytes: string; embedded: string }[]>(
    `delete from knowledge_documents d where id = ? and knowledge_base_id = ? returning passages, bytes, (
      select count(*) from knowledge_vectors v join knowledge_bases b on b.id = v.knowledge_base_id
      where v.document_id = d.id and v.version = b.vector_version) as embedded`,
    [documentId, knowledgeBaseId],
  );
  if (deleted === undefined) throw notFound(THING);
  await em.execute(
    `update knowledge_bases set documents = documents - 1, passages = passages - ?, bytes = bytes - ?,
      embedded_passages = embedded_passages - ?, updated_at = now() where id = ?`,
    [deleted.passages, deleted.bytes, deleted.embedded, knowledgeBaseId],
  );
}

/** A document whose text is to be read. */
export interface DocumentToRead extends Pick<KnowledgeDocument, 'source' | 'url' | 'fileId'> {
  /** The given text, of a document made from text. */
  readonly text: string | null;
  /** How often this was begun, this time included. */
  readonly tries: number;
}

/** Records that reading the text of a document begins; `undefined` when there is nothing to do. */
export async function beginReading(
  { tenant }: Database,
  { orgId, documentId }: DocumentRef,
): Promise<DocumentToRead | undefined> {
  const [document] = await tenant.query<DocumentToRead>(orgId, {
    name: 'begin-reading',
    text: `update knowledge_documents set status = 'processing', tries = tries + 1, updated_at = now()
      where id = $1 and status in ('pending', 'processing')
      returning source, url, file_id as "fileId", given_text as text, tries`,
    values: [documentId],
  });
  return document;
}

/** Reverts the beginning of a read whose process is still alive: the document did not kill it. */
export async function takeBackReading({ tenant }: Database, { orgId, documentId }: DocumentRef): Promise<void> {
  await tenant.query(orgId, {
    name: 'take-back-reading',
    text: "update knowledge_documents set tries = tries - 1 where id = $1 and status = 'processing' and tries > 0",
    values: [documentId],
  });
}

/** Reverts the beginning of a read whose file has no text yet: it is to be read later. */
export async function postponeReading({ tenant }: Database, { orgId, documentId }: DocumentRef): Promise<void> {
  await tenant.query(orgId, {
    name: 'postpone-reading',
    text: `update knowledge_documents set status = 'pending', tries = tries - 1
      where id = $1 and status = 'processing'`,
    values: [documentId],
  });
}

/** Records why a document could not be read. It uses no more space, and can be added again. */
export async function failReading(database: Database, ref: DocumentRef, error: string): Promise<void> {
  const { orgId, knowledgeBaseId, documentId } = ref;
  await withOrgTransaction(database, orgId, async (em) => {
    await lockBase(em, knowledgeBaseId);
    const [document] = await em.execute<{ bytes: string }[]>(
      `select bytes from knowledge_documents where id = ? and status in ('pending', 'processing')`,
      [documentId],
    );
    if (document === undefined) return;
    await em.execute(
      `update knowledge_documents set status = 'failed', error = ?, bytes = 0, given_text = null, updated_at = now()
        where id = ?`,
      [toStorableText(error), documentId],
    );
    await em.execute('update knowledge_bases set bytes = bytes - ? where id = ?', [document.bytes, knowledgeBaseId]);
  });
}

/** Returns documents that nobody seems to be reading, of all organizations. */
export async function findUnreadDocuments({ system }: Pick<Database, 'system'>): Promise<readonly DueWork[]> {
  const { rows } = await system.query<DocumentRef>({
    name: 'find-unread-documents',
    text: fairBatch(`select org_id as "orgId", knowledge_base_id as "knowledgeBaseId", id as "documentId" from knowledge_documents
      where status in ('pending', 'processing') and updated_at < ${OVERDUE} order by updated_at`),
  });
  return rows.map((document) => ({ kind: 'document', ...document }));
}
