import { setImmediate as nextTick } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import { OFF } from '../../domain/embeddings.ts';
import { cutPassages, type Passage } from '../../domain/knowledge.ts';
import type { OrgLimits } from '../../domain/orgs.ts';
import { afterCommit } from '../core/after-commit.ts';
import type { Database } from '../core/database.ts';
import { withOrgTransaction } from '../core/transactions.ts';
import { keyOf, vectorOf } from '../search/search-words.ts';
import type { DocumentRef } from './documents.ts';
import { lockBase, requireRoomForKnowledge } from './knowledge-bases.ts';

/** Passages that one statement stores. */
const BATCH = 200;

/** A passage as a row. */
interface PassageRow {
  readonly seq: number;
  readonly heading: string;
  readonly content: string;
  readonly start_at: number;
  readonly end_at: number;
  readonly words: string;
}

/**
 * Stores the text of a document as passages, which can be searched from now on; does nothing when the document was
 * deleted or stored in the meantime. `conflict` when the organization has no room for it.
 */
export async function storePassages(
  database: Database,
  ref: DocumentRef,
  text: string,
  limits: OrgLimits,
): Promise<void> {
  const { orgId, knowledgeBaseId, documentId } = ref;
  const passages = await rowsOf(orgId, text, cutPassages(text));
  const bytes = Buffer.byteLength(text);
  await withOrgTransaction(database, orgId, async (em) => {
    await lockBase(em, knowledgeBaseId);
    const [document] = await em.execute<{ bytes: string }[]>(
      "select bytes from knowledge_documents where id = ? and status = 'processing'",
      [documentId],
    );
    if (document === undefined) return;
    const more = bytes - Number(document.bytes);
    for (let at = 0; at < passages.length; at += BATCH) await storeBatch(em, ref, passages.slice(at, at + BATCH));
    // Last, because all others of the organization wait from here on.
    await requireRoomForKnowledge(em, orgId, more, limits);
    await em.execute(
      `update knowledge_documents set status = 'ready', error = null, characters = ?, bytes = ?, passages = ?,
        given_text = null, updated_at = now() where id = ?`,
      [text.length, bytes, passages.length, documentId],
    );
    const [base] = await em.execute<{ isDue: boolean }[]>(
      `update knowledge_bases set passages = passages + ?, bytes = bytes + ?,
        embedding_due_at = case embedding_model when ? then embedding_due_at else now() end where id = ?
      returning embedding_due_at is not null as "isDue"`,
      [passages.length, more, OFF, knowledgeBaseId],
    );
    if (base?.isDue === true) afterCommit(em, { dueWork: [{ kind: 'embedding', orgId, knowledgeBaseId }] });
  });
}

// A long text takes some hundred milliseconds, and the worker has turns to stream.
async function rowsOf(orgId: string, text: string, passages: readonly Passage[]): Promise<PassageRow[]> {
  const key = keyOf(orgId);
  const rows: PassageRow[] = [];
  for (const [seq, { heading, start, end }] of passages.entries()) {
    const content = text.slice(start, end);
    rows.push({ seq, heading, content, start_at: start, end_at: end, words: vectorOf(`${heading}\n${content}`, key) });
    if (seq % BATCH === 0) await nextTick();
  }
  return rows;
}

async function storeBatch(
  em: EntityManager,
  { orgId, knowledgeBaseId, documentId }: DocumentRef,
  rows: readonly PassageRow[],
): Promise<void> {
  await em.execute(
    `with given as (
        select * from jsonb_to_recordset(?::jsonb)
          as p (seq int, heading text, content text, start_at int, end_at int, words text)
      ), stored as (
        insert into knowledge_passages (document_id, seq, org_id, heading, content, start_at, end_at)
        select ?::uuid, seq, ?::uuid, heading, content, start_at, end_at from given
      )
      insert into knowledge_words (document_id, seq, org_id, knowledge_base_id, words)
      select ?::uuid, seq, ?::uuid, ?::uuid, words::tsvector from given`,
    [JSON.stringify(rows), documentId, orgId, documentId, orgId, knowledgeBaseId],
  );
}
