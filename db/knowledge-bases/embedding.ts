import type { EntityManager } from '@mikro-orm/postgresql';
import type { DueWork } from '../../domain/core/due-work.ts';
import { toStorableText } from '../../domain/core/text.ts';
import { OFF, type PackedVector } from '../../domain/embeddings.ts';
import type { Database, TenantDatabase } from '../core/database.ts';
import { withOrgTransaction } from '../core/transactions.ts';
import { fairBatch, msUntil, OVERDUE } from '../core/sql.ts';
import { uuidArray } from '../records/records.ts';
import { lockBase } from './knowledge-bases.ts';

/** A knowledge base whose passages get vectors. */
export interface EmbeddingRef {
  readonly orgId: string;
  readonly knowledgeBaseId: string;
}

/** The state of a knowledge base's vectors. */
export interface EmbeddingState {
  /** `auto`, `off` or the name of a model. */
  readonly choice: string;
  /** The name of the model that its vectors are of; null until there are any. */
  readonly modelInUse: string | null;
  /** The version of these vectors; those of an earlier one count as missing. */
  readonly version: number;
}

/** The longest wait before the next try, and the first one, in seconds. */
const MAX_WAIT_S = 3_600;
const FIRST_WAIT_S = 15;
/** The vectors that one statement deletes. */
const BATCH = 5_000;

const REF = 'org_id as "orgId", id as "knowledgeBaseId"';

/** Returns knowledge bases whose passages should have vectors, or were to be tried again, by now. */
export async function findOverdueEmbeddings({ system }: Pick<Database, 'system'>): Promise<readonly DueWork[]> {
  const { rows } = await system.query<EmbeddingRef>({
    name: 'find-overdue-embeddings',
    text: fairBatch(`select ${REF} from knowledge_bases where embedding_due_at < ${OVERDUE}
      order by embedding_due_at`),
  });
  return rows.map(embeddingOf);
}

/**
 * Returns in how many milliseconds the passages of a knowledge base are to be given vectors; null when none are
 * missing.
 */
export async function findEmbeddingWait(
  { tenant }: TenantDatabase,
  { orgId, knowledgeBaseId }: EmbeddingRef,
): Promise<number | null> {
  const [row] = await tenant.query<{ waitMs: number }>(orgId, {
    name: 'find-embedding-wait',
    text: `select ${msUntil('embedding_due_at')} as "waitMs" from knowledge_bases
      where id = $1 and embedding_due_at is not null`,
    values: [knowledgeBaseId],
  });
  return row?.waitMs ?? null;
}

function embeddingOf({ orgId, knowledgeBaseId }: EmbeddingRef): DueWork {
  return { kind: 'embedding', orgId, knowledgeBaseId };
}

/** Returns the state of a knowledge base's vectors; `undefined` when it is gone. */
export async function readEmbedding(
  { tenant }: TenantDatabase,
  { orgId, knowledgeBaseId }: EmbeddingRef,
): Promise<EmbeddingState | undefined> {
  const [state] = await tenant.query<EmbeddingState>(orgId, {
    name: 'read-embedding',
    text: `select embedding_model as choice, model_in_use as "modelInUse", vector_version as version
      from knowledge_bases where id = $1`,
    values: [knowledgeBaseId],
  });
  return state;
}

/** How a knowledge base was found. What is written for another choice or version than it has by now has no effect. */
type FoundEmbedding = EmbeddingRef & Pick<EmbeddingState, 'choice' | 'version'>;

/**
 * Starts over with the vectors of a model, or with none for null, and returns their version. Returns `undefined` when
 * the knowledge base is no longer as it was found.
 */
export async function beginVectors(
  { tenant }: TenantDatabase,
  { orgId, knowledgeBaseId, choice, version }: FoundEmbedding,
  model: string | null,
): Promise<number | undefined> {
  const [begun] = await tenant.query<{ readonly version: number }>(orgId, {
    name: 'begin-vectors',
    text: `update knowledge_bases set model_in_use = $4, vector_version = vector_version + 1, dimensions = null,
        embedded_passages = 0
      where id = $1 and embedding_model = $2 and vector_version = $3 returning vector_version as version`,
    values: [knowledgeBaseId, choice, version, model],
  });
  return begun?.version;
}

/** Deletes some of the vectors of a knowledge base that is searched by words alone; returns whether there are more. */
export async function deleteVectors(
  { tenant }: TenantDatabase,
  { orgId, knowledgeBaseId }: EmbeddingRef,
): Promise<boolean> {
  const deleted = await tenant.query(orgId, {
    name: 'delete-vectors',
    text: `delete from knowledge_vectors where (document_id, seq) in (
        select v.document_id, v.seq from knowledge_vectors v join knowledge_bases b on b.id = v.knowledge_base_id
        where v.knowledge_base_id = $1 and b.embedding_model = $2 limit ${BATCH}
      ) returning 1`,
    values: [knowledgeBaseId, OFF],
  });
  return deleted.length === BATCH;
}

/**
 * Records that nothing is left to do, unless there are passages without a vector of this version, or another model was
 * chosen.
 */
export async function endEmbedding(database: Database, found: FoundEmbedding): Promise<void> {
  const { orgId, knowledgeBaseId, choice, version } = found;
  await withOrgTransaction(database, orgId, async (em) => {
    // Adding passages takes this lock, so none come between the check and the note.
    await lockBase(em, knowledgeBaseId);
    await em.execute(
      `update knowledge_bases b set embedding_due_at = null, embedding_tries = 0, embedding_error = null
        where id = ? and embedding_model = ? and vector_version = ? and (embedding_model = ? or not exists (
          select from knowledge_documents d where d.knowledge_base_id = b.id and d.passages > 0
            and d.vector_version is distinct from b.vector_version
        ))`,
      [knowledgeBaseId, choice, version, OFF],
    );
  });
}

/** Why passages get no vectors for now. */
interface Delay {
  readonly reason: string;
  /** When to try again, in milliseconds since 1970; null for soon, and later each time. */
  readonly until: number | null;
}

/** Records why the passages of a knowledge base get no vectors for now, and when to try again. */
export async function postponeEmbedding(
  { tenant }: TenantDatabase,
  { orgId, knowledgeBaseId, choice }: Omit<FoundEmbedding, 'version'>,
  { reason, until }: Delay,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'postpone-embedding',
    text: `update knowledge_bases set embedding_error = $2, embedding_tries = embedding_tries + 1,
        embedding_due_at = coalesce($3::timestamptz,
          now() + least(${MAX_WAIT_S}, ${FIRST_WAIT_S} * 2 ^ least(embedding_tries, 20)) * interval '1 second')
      where id = $1 and embedding_model = $4`,
    values: [knowledgeBaseId, toStorableText(reason), until === null ? null : new Date(until), choice],
  });
}

/** Retries the knowledge bases of an organization that wait for a provider account, and returns them. */
export async function wakeEmbeddings({ tenant }: TenantDatabase, orgId: string): Promise<readonly DueWork[]> {
  const rows = await tenant.query<EmbeddingRef>(orgId, {
    name: 'wake-embeddings',
    text: `update knowledge_bases set embedding_due_at = now()
      where org_id = $1 and embedding_due_at > now() and embedding_error is not null returning ${REF}`,
    values: [orgId],
  });
  return rows.map(embeddingOf);
}

/** A passage that has no vector yet. */
export interface UnembeddedPassage {
  readonly documentId: string;
  readonly seq: number;
  readonly heading: string;
  readonly text: string;
}

/** The vectors of a model, and their version. */
export interface VectorSet extends EmbeddingRef {
  readonly version: number;
}

/** Vectors of passages, and what they cost. */
interface NewVectors {
  /** Null for a passage that the model does not take. */
  readonly vectors: readonly (Pick<UnembeddedPassage, 'documentId' | 'seq'> & {
    readonly packed: PackedVector | null;
  })[];
  readonly tokens: number;
  /** In US dollars; null when the price is unknown. */
  readonly cost: number | null;
}

/** The vectors of a knowledge base have another number of dimensions than those that were to be added. */
export class OtherDimensions extends Error {
  override readonly name = 'OtherDimensions';
  readonly had: number;

  constructor(had: number) {
    super(`the vectors have ${had} dimensions`);
    this.had = had;
  }
}

/** Returns passages of documents that are ready that have no vector of this version, in the order of the documents. */
export async function findUnembedded(
  { tenant }: TenantDatabase,
  { orgId, knowledgeBaseId, version }: VectorSet,
  limit: number,
): Promise<readonly UnembeddedPassage[]> {
  return tenant.query<UnembeddedPassage>(orgId, {
    name: 'find-unembedded',
    text: `select p.document_id as "documentId", p.seq, p.heading, p.content as text
      from knowledge_documents d join knowledge_passages p on p.document_id = d.id
      where d.knowledge_base_id = $1 and d.passages > 0 and d.vector_version is distinct from $2 and not exists (
        select from knowledge_vectors v where v.document_id = p.document_id and v.seq = p.seq and v.version = $2)
      order by d.id, p.seq limit $3`,
    values: [knowledgeBaseId, version, limit],
  });
}

/**
 * Stores vectors and what they cost; returns false when the knowledge base has another version by now. Passages that
 * were deleted in the meantime are left out. Throws `OtherDimensions`.
 */
export async function storeVectors(
  database: Database,
  { orgId, knowledgeBaseId, version }: VectorSet,
  { vectors, tokens, cost }: NewVectors,
): Promise<boolean> {
  return withOrgTransaction(database, orgId, async (em) => {
    await lockBase(em, knowledgeBaseId);
    const dimensions = vectors.find(({ packed }) => packed !== null)?.packed?.bytes.length ?? null;
    const [base] = await em.execute<{ version: number; dimensions: number | null }[]>(
      'select vector_version as version, dimensions from knowledge_bases where id = ?',
      [knowledgeBaseId],
    );
    if (base?.version !== version) return false;
    if (base.dimensions !== null && dimensions !== null && base.dimensions !== dimensions)
      throw new OtherDimensions(base.dimensions);
    const stored = await insertVectors(em, { orgId, knowledgeBaseId, version }, vectors);
    await em.execute(
      `update knowledge_bases set embedded_passages = embedded_passages + ?, dimensions = coalesce(dimensions, ?),
        embedding_tokens = embedding_tokens + ?, embedding_tries = 0, embedding_error = null,
        embedding_cost = case when ?::float8 is null then embedding_cost else coalesce(embedding_cost, 0) + ?::float8 end
        where id = ?`,
      [stored, dimensions, tokens, cost, cost, knowledgeBaseId],
    );
    return true;
  });
}

async function insertVectors(
  em: EntityManager,
  { orgId, knowledgeBaseId, version }: VectorSet,
  vectors: NewVectors['vectors'],
): Promise<number> {
  const rows = vectors.map(({ documentId, seq, packed }) => ({
    document_id: documentId,
    seq,
    vector: packed === null ? null : Buffer.from(packed.bytes.buffer).toString('base64'),
    length: packed?.length ?? 0,
  }));
  const stored = await em.execute<object[]>(
    `insert into knowledge_vectors as known (document_id, seq, org_id, knowledge_base_id, version, vector, length)
      select g.document_id, g.seq, ?::uuid, ?::uuid, ?::int, decode(g.vector, 'base64'), g.length
      from jsonb_to_recordset(?::jsonb) as g (document_id uuid, seq int, vector text, length real)
        join knowledge_passages p on p.document_id = g.document_id and p.seq = g.seq
      on conflict (document_id, seq) do update
        set version = excluded.version, vector = excluded.vector, length = excluded.length
        where known.version <> excluded.version
      returning 1`,
    [orgId, knowledgeBaseId, version, JSON.stringify(rows)],
  );
  const documents = [...new Set(vectors.map(({ documentId }) => documentId))];
  await em.execute(
    `update knowledge_documents d set vector_version = ? where d.id = any(?::uuid[]) and d.passages <= (
      select count(*) from knowledge_vectors v where v.document_id = d.id and v.version = ?)`,
    [version, uuidArray(documents), version],
  );
  return stored.length;
}
