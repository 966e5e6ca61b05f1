import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { orgLimitReached, type OrgLimits } from '../../domain/orgs.ts';
import { lockForOwner, requireRoom, totalOfOwner } from '../orgs/require-room.ts';
import type { Database, TenantDatabase } from '../core/database.ts';
import { type Listed, type Page, readPage } from '../core/page.ts';
import { forgetKnowledgeBase } from '../agents/references.ts';

/** The fields of a knowledge base that a caller sets. */
interface KnowledgeBaseFields {
  readonly name: string;
  readonly description: string;
  /** `auto`, `off` or the name of a model. */
  readonly embeddingModel: string;
}

/** Documents of an organization that are searched together. */
export interface KnowledgeBase extends KnowledgeBaseFields {
  readonly id: string;
  readonly documents: number;
  /** Of the documents that are ready. */
  readonly passages: number;
  /** Of the texts of its documents, in UTF-8. */
  readonly bytes: number;
  /** The model that its vectors are of; null until there are any. */
  readonly modelInUse: string | null;
  readonly dimensions: number | null;
  /** Of its passages those that have a vector of this model. */
  readonly embeddedPassages: number;
  /** The usage of its vectors and searches; the cost is in US dollars, and null while no price is known. */
  readonly embeddingTokens: number;
  readonly embeddingCost: number | null;
  /** Why passages get no vectors for now. */
  readonly embeddingError: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const THING = 'Knowledge base';
const BASE = `id, name, description, documents, passages, bytes, embedding_model as "embeddingModel",
  model_in_use as "modelInUse", dimensions, embedded_passages as "embeddedPassages",
  embedding_tokens as "embeddingTokens", embedding_cost as "embeddingCost", embedding_error as "embeddingError", created_at as "createdAt", updated_at as "updatedAt"`;

/** Returns the organization's knowledge bases, or those of them with the given ids, oldest first. */
export async function listKnowledgeBases(
  { tenant }: TenantDatabase,
  orgId: string,
  { onlyIds, ...page }: Page & { readonly onlyIds?: readonly string[] | undefined } = {},
): Promise<Listed<KnowledgeBase>> {
  return readPage<KnowledgeBase>(async (statement) => tenant.query(orgId, statement), {
    name: 'list-knowledge-bases',
    columns: BASE,
    bytes: `700 + octet_length(name) + octet_length(description) + octet_length(embedding_model)
      + coalesce(octet_length(embedding_error), 0)`,
    source: 'from knowledge_bases where org_id = $1 and ($2::uuid[] is null or id = any($2))',
    order: 'id',
    values: [orgId, onlyIds ?? null],
    page,
  });
}

/** Returns the knowledge base; `not_found` when there is none. */
export async function getKnowledgeBase({ tenant }: TenantDatabase, orgId: string, id: string): Promise<KnowledgeBase> {
  const [base] = await tenant.query<KnowledgeBase>(orgId, {
    name: 'get-knowledge-base',
    text: `select ${BASE} from knowledge_bases where id = $1`,
    values: [id],
  });
  if (base === undefined) throw notFound(THING);
  return base;
}

/** Adds an empty knowledge base and returns its id; `conflict` when the owner has reached the limit. */
export async function createKnowledgeBase(
  em: EntityManager,
  orgId: string,
  { name, description, embeddingModel }: KnowledgeBaseFields,
  limits: OrgLimits,
): Promise<string> {
  await requireRoom(em, orgId, 'knowledgeBases', limits);
  const id = uuidv7();
  await em.execute(
    'insert into knowledge_bases (id, org_id, name, description, embedding_model) values (?, ?, ?, ?, ?)',
    [id, orgId, name, description, embeddingModel],
  );
  return id;
}

/**
 * Changes the given fields only, and has passages given vectors when another model is chosen; `not_found` when there is
 * no such knowledge base.
 */
export async function updateKnowledgeBase(
  database: Pick<Database, 'tenant' | 'follow'>,
  orgId: string,
  id: string,
  {
    name = null,
    description = null,
    embeddingModel = null,
  }: { readonly [K in keyof KnowledgeBaseFields]?: string | null | undefined },
): Promise<KnowledgeBase> {
  const [base] = await database.tenant.query<KnowledgeBase>(orgId, {
    name: 'update-knowledge-base',
    text: `update knowledge_bases set name = coalesce($2::text, name), description = coalesce($3::text, description),
        embedding_model = coalesce($4::text, embedding_model),
        embedding_due_at = case when $4 <> embedding_model then now() else embedding_due_at end,
        embedding_error = case when $4 <> embedding_model then null else embedding_error end,
        embedding_tries = case when $4 <> embedding_model then 0 else embedding_tries end,
        updated_at = case when num_nonnulls($2, $3, $4) = 0 then updated_at else now() end
      where id = $1 returning ${BASE}`,
    values: [id, name, description, embeddingModel],
  });
  if (base === undefined) throw notFound(THING);
  if (embeddingModel !== null)
    await database.follow([{ dueWork: [{ kind: 'embedding', orgId, knowledgeBaseId: id }] }]);
  return base;
}

/**
 * Deletes a knowledge base for good with its documents and their passages, and takes it from the agents for which it
 * was chosen; `not_found` when there is none.
 */
export async function deleteKnowledgeBase(em: EntityManager, orgId: string, id: string): Promise<void> {
  const deleted = await em.execute<object[]>('delete from knowledge_bases where id = ? returning id', [id]);
  if (deleted.length === 0) throw notFound(THING);
  await forgetKnowledgeBase(em, orgId, id);
}

/** A knowledge base that is locked until the transaction has ended. */
interface LockedBase {
  readonly documents: number;
}

/** Locks a knowledge base until the transaction has ended; `not_found` when there is none. */
export async function lockBase(em: EntityManager, id: string): Promise<LockedBase> {
  const [base] = await em.execute<LockedBase[]>('select documents from knowledge_bases where id = ? for update', [id]);
  if (base === undefined) throw notFound('Knowledge base');
  return base;
}

/**
 * Checks that the knowledge bases of the owner's organizations may grow by so many bytes; `conflict` when their limit
 * is reached. Blocks all who ask until the transaction has ended, so that the sum is exact.
 */
export async function requireRoomForKnowledge(
  em: EntityManager,
  orgId: string,
  bytes: number,
  limits: Pick<OrgLimits, 'knowledgeBytes'>,
): Promise<void> {
  await em.execute(lockForOwner('?', '?'), [orgId, 'knowledge']);
  const [row] = await em.execute<{ bytes: string }[]>(`select ${totalOfOwner('?', 'knowledge_bytes')} as bytes`, [
    orgId,
  ]);
  if (Number(row?.bytes) + bytes > limits.knowledgeBytes) throw orgLimitReached('knowledgeBytes', limits);
}

/** Makes the error for a document that a knowledge base has already. */
export function isThereAlready(title: string): AppError {
  return new AppError('conflict', `The knowledge base has this already, as the document "${title}"`);
}
