import { v7 as uuidv7 } from 'uuid';
import type { DueWork } from '../../domain/core/due-work.ts';
import type { RefusedItem } from '../../domain/marketplace.ts';
import type { Database, TenantDatabase } from '../core/database.ts';
import { msUntil, OVERDUE } from '../core/sql.ts';

/** The state of an index. */
export interface IndexState {
  readonly id: string;
  readonly source: string;
  /** When it was last tried, and when that last succeeded; null while it has not. */
  readonly checkedAt: Date | null;
  readonly fetchedAt: Date | null;
  readonly nextCheckAt: Date | null;
  /** Why it could not be fetched the last time. */
  readonly error: string | null;
  /** Items that are not offered in the version that it lists. */
  readonly refused: readonly RefusedItem[];
  readonly slugs: readonly string[];
}

/** Items that cannot be taken are named, up to so many. */
const MAX_REFUSED = 200;

// A request during a fetch may want changes that the fetch has not seen.
const unlessAsked = (pause: string) => `case when asked_at is null then ${pause} else interval '1 minute' end`;

/** Returns those of the operator's indexes that were read, in no particular order. */
export async function listIndexes(
  { tenant }: TenantDatabase,
  orgId: string,
  sources: readonly string[],
): Promise<IndexState[]> {
  return tenant.query<IndexState>(orgId, {
    name: 'list-marketplace-indexes',
    text: `select x.id, x.source, x.checked_at as "checkedAt", x.fetched_at as "fetchedAt", x.due_at as "nextCheckAt",
        x.error, x.refused,
        array(select i.slug from marketplace_items i where i.index_id = x.id order by i.slug) as slugs
      from marketplace_indexes x where x.source = any($1)`,
    values: [sources],
  });
}

/** Makes sure that the operator's indexes have rows. New ones are due at once. */
export async function addIndexes({ system }: Pick<Database, 'system'>, sources: readonly string[]): Promise<void> {
  if (sources.length === 0) return;
  await system.query(
    `insert into marketplace_indexes (id, source)
      select id, source from unnest($1::uuid[], $2::text[]) as added (id, source)
      where not exists (select from marketplace_indexes known where known.source = added.source)
      on conflict do nothing`,
    [sources.map(() => uuidv7()), sources],
  );
}

/** Returns those of the operator's indexes that should have been fetched by now. New ones count at once. */
export async function findOverdueIndexes(
  { system }: Pick<Database, 'system'>,
  sources: readonly string[],
): Promise<readonly DueWork[]> {
  if (sources.length === 0) return [];
  const { rows } = await system.query<IndexRef>(
    `select id as "indexId" from marketplace_indexes
      where source = any($1) and (due_at < ${OVERDUE} or checked_at is null)`,
    [sources],
  );
  return rows.map(indexOf);
}

/** Returns in how many milliseconds an index is to be fetched; null when there is no such index any more. */
export async function findIndexWait({ system }: Pick<Database, 'system'>, indexId: string): Promise<number | null> {
  const { rows } = await system.query<{ waitMs: number }>(
    `select ${msUntil('due_at')} as "waitMs" from marketplace_indexes where id = $1`,
    [indexId],
  );
  return rows[0]?.waitMs ?? null;
}

/**
 * Requests a fetch of the operator's indexes, each once a minute at most: one that was just tried is due when its
 * minute is over, and one that is being fetched is fetched again a minute after that.
 */
export async function askForIndexes(
  database: Pick<Database, 'system' | 'follow'>,
  sources: readonly string[],
): Promise<void> {
  const { rows } = await database.system.query<IndexRef>(
    `update marketplace_indexes set asked_at = now(),
        due_at = least(due_at, greatest(now(), checked_at + interval '1 minute'))
      where source = any($1) returning id as "indexId"`,
    [sources],
  );
  await database.follow([{ dueWork: rows.map(indexOf) }]);
}

interface IndexRef {
  readonly indexId: string;
}

function indexOf({ indexId }: IndexRef): DueWork {
  return { kind: 'marketplace-index', indexId };
}

interface BegunFetch {
  readonly source: string;
  /** The items that were fetched of it before, by slug. */
  readonly items: ReadonlyMap<string, KnownItem>;
}

/** Records that an index is being fetched, which serves all requests so far; undefined when there is none. */
export async function beginIndexFetch(
  { system }: Pick<Database, 'system'>,
  indexId: string,
): Promise<BegunFetch | undefined> {
  const { rows } = await system.query<{ source: string; items: [string, KnownItem][] | null }>(
    `update marketplace_indexes x set asked_at = null where x.id = $1
      returning x.source, (
        select jsonb_agg(jsonb_build_array(
          i.slug, jsonb_build_object('sha256', i.sha256, 'version', i.version, 'bytes', i.bytes)))
        from marketplace_items i where i.index_id = x.id
      ) as items`,
    [indexId],
  );
  const [index] = rows;
  return index && { source: index.source, items: new Map(index.items) };
}

/** An item of an index as it is kept: the digest of its archive, its version, and the bytes of its files. */
export interface KnownItem {
  readonly sha256: string;
  readonly version: string;
  readonly bytes: number;
}

interface FetchedIndex {
  /** Those that it lists; others that it had are gone. */
  readonly slugs: readonly string[];
  readonly refused: readonly RefusedItem[];
  readonly nextCheckMs: number;
}

/** Stores the content of an index. */
export async function noteFetchedIndex(
  { system }: Pick<Database, 'system'>,
  indexId: string,
  { slugs, refused, nextCheckMs }: FetchedIndex,
): Promise<void> {
  const more = refused.length - MAX_REFUSED;
  const shown =
    more > 0 ? [...refused.slice(0, MAX_REFUSED), { item: `${more} more`, reason: 'are refused, too' }] : refused;
  await system.query(
    `with gone as (delete from marketplace_items where index_id = $1 and not slug = any($2::text[]))
      update marketplace_indexes set checked_at = now(), fetched_at = now(), failures = 0, error = null,
        refused = $3, due_at = now() + ${unlessAsked("$4 * interval '1 millisecond'")}
      where id = $1`,
    [indexId, slugs, JSON.stringify(shown), nextCheckMs],
  );
}

/** Records why an index could not be fetched. Its items stay; it is tried again after a minute, later once an hour. */
export async function noteIndexFailure(
  { system }: Pick<Database, 'system'>,
  indexId: string,
  error: string,
): Promise<void> {
  await system.query(
    `update marketplace_indexes set checked_at = now(), error = $2, failures = failures + 1,
        due_at = now() + ${unlessAsked("least(interval '1 hour', interval '1 minute' * power(2, least(failures, 6)))")}
      where id = $1`,
    [indexId, error],
  );
}

/**
 * Removes indexes that nobody has fetched for a week when they were due: no worker has them among its settings any
 * more.
 */
export async function purgeIndexes({ system }: Pick<Database, 'system'>, sources: readonly string[]): Promise<void> {
  await system.query(
    `delete from marketplace_indexes
      where due_at < now() - interval '7 days' and not source = any($1)`,
    [sources],
  );
}
