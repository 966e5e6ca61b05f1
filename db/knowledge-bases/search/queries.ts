import { v7 as uuidv7 } from 'uuid';
import type { Database, TenantDatabase } from '../../core/database.ts';
import { purgeRows } from '../../records/records.ts';

/** A model whose vector of a query is wanted, and the knowledge base on whose account. */
export interface QueryTarget {
  /** The name of the model. */
  readonly model: string;
  readonly knowledgeBaseId: string;
}

/** The vector of a query, or why there is none, in words for a person. */
export type QueryVector = { readonly model: string } & (
  | { readonly vector: readonly number[] }
  | { readonly reason: string }
);

/** A query, and the model whose vectors it needs. */
export interface KnowledgeQuery {
  readonly query: string;
  readonly targets: readonly QueryTarget[];
}

/** Nobody waits for an older one. */
const MAX_AGE = '15 minutes';

/** Stores a query whose vectors are wanted; returns its id. Its text and its vectors are kept out of the engine. */
export async function createQuery(
  { tenant }: TenantDatabase,
  orgId: string,
  { query, targets }: KnowledgeQuery,
): Promise<string> {
  const id = uuidv7();
  await tenant.query(orgId, {
    name: 'create-knowledge-query',
    text: 'insert into knowledge_queries (id, org_id, query, targets) values ($1, $2, $3, $4::jsonb)',
    values: [id, orgId, query, JSON.stringify(targets)],
  });
  return id;
}

/** Returns a query that has no outcome yet; `undefined` when there is none. */
export async function readQuery(
  { tenant }: TenantDatabase,
  orgId: string,
  id: string,
): Promise<KnowledgeQuery | undefined> {
  const [query] = await tenant.query<KnowledgeQuery>(orgId, {
    name: 'read-knowledge-query',
    text: 'select query, targets from knowledge_queries where id = $1 and outcome is null',
    values: [id],
  });
  return query;
}

/** Stores the vectors of a query. */
export async function answerQuery(
  { tenant }: TenantDatabase,
  { orgId, id }: { readonly orgId: string; readonly id: string },
  vectors: readonly QueryVector[],
): Promise<void> {
  await tenant.query(orgId, {
    name: 'answer-knowledge-query',
    text: 'update knowledge_queries set outcome = $2::jsonb where id = $1',
    values: [id, JSON.stringify(vectors)],
  });
}

/** Removes a query; returns its vectors, none when nobody has found them. */
export async function takeQuery(
  { tenant }: TenantDatabase,
  orgId: string,
  id: string,
): Promise<readonly QueryVector[]> {
  const [query] = await tenant.query<{ readonly outcome: readonly QueryVector[] | null }>(orgId, {
    name: 'take-knowledge-query',
    text: 'delete from knowledge_queries where id = $1 returning outcome',
    values: [id],
  });
  return query?.outcome ?? [];
}

/** Removes the queries that nobody waits for any more. */
export async function purgeQueries(database: Database): Promise<void> {
  await purgeRows(database, 'knowledge_queries', `created_at < now() - interval '${MAX_AGE}'`);
}

/** Adds the cost of a query's vector to a knowledge base: tokens, and US dollars where the price is known. */
export async function noteQueryCost(
  { tenant }: TenantDatabase,
  { orgId, knowledgeBaseId }: { readonly orgId: string; readonly knowledgeBaseId: string },
  { tokens, cost }: { readonly tokens: number; readonly cost: number | null },
): Promise<void> {
  await tenant.query(orgId, {
    name: 'note-query-cost',
    text: `update knowledge_bases set embedding_tokens = embedding_tokens + $2,
        embedding_cost = case when $3::float8 is null then embedding_cost else coalesce(embedding_cost, 0) + $3 end
      where id = $1`,
    values: [knowledgeBaseId, tokens, cost],
  });
}
