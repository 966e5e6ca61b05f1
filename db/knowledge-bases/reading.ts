import type { DueWork } from '../../domain/core/due-work.ts';
import { toStorableText } from '../../domain/core/text.ts';
import { type Database, withOrgTransaction } from '../core/index.ts';
import { fairBatch, OVERDUE } from '../core/sql.ts';
import type { DocumentRef, KnowledgeDocument } from './documents.ts';
import { lockBase } from './room.ts';

/** A document whose text is to be read. */
export interface DocumentToRead extends Pick<KnowledgeDocument, 'source' | 'url' | 'fileId'> {
  /** The text that was given, of a document that is made of one. */
  readonly text: string | null;
  /** How often this was begun, this time included. */
  readonly tries: number;
}

/** Notes that the text of a document is being read; `undefined` when there is nothing to do. */
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

/** Takes back a beginning whose process is still alive: the document did not end it. */
export async function takeBackReading({ tenant }: Database, { orgId, documentId }: DocumentRef): Promise<void> {
  await tenant.query(orgId, {
    name: 'take-back-reading',
    text: "update knowledge_documents set tries = tries - 1 where id = $1 and status = 'processing' and tries > 0",
    values: [documentId],
  });
}

/** Takes back the beginning of a document whose file has no text yet: it is to be read later. */
export async function postponeReading({ tenant }: Database, { orgId, documentId }: DocumentRef): Promise<void> {
  await tenant.query(orgId, {
    name: 'postpone-reading',
    text: `update knowledge_documents set status = 'pending', tries = tries - 1
      where id = $1 and status = 'processing'`,
    values: [documentId],
  });
}

/** Notes why a document could not be read. It takes no more room, and can be added again. */
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
