import type { EntityManager } from '@mikro-orm/postgresql';
import type { PackedVector } from '../../../domain/embeddings/index.ts';
import { type Database, type TenantDatabase, withOrgTransaction } from '../../core/index.ts';
import { uuidArray } from '../../records/index.ts';
import { lockBase } from '../room.ts';
import type { EmbeddingRef } from './embedding-state.ts';

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
 * were deleted meanwhile are left out. Throws `OtherDimensions`.
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
