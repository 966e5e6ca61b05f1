import type { MarketplaceItem } from '../../domain/marketplace.ts';
import type { Database, TenantDatabase } from '../core/database.ts';
import { type Listed, type Page, readPage } from '../core/page.ts';

/** How many characters of an item's description are searched. */
const MAX_WORDS_CHARACTERS = 4_000;

/** An item of an index, and the digest of its archive. */
interface FetchedItem {
  readonly item: MarketplaceItem;
  readonly sha256: string;
  readonly bytes: number;
}

/** Stores an item of an index, replacing an earlier version of it. */
export async function storeIndexItem(
  { system }: Pick<Database, 'system'>,
  indexId: string,
  { item, sha256, bytes }: FetchedItem,
): Promise<void> {
  const { slug, kind, name, version, summary, tags, readme, files } = item;
  const words = [slug, name, summary, ...tags, readme].join('\n').slice(0, MAX_WORDS_CHARACTERS).toLowerCase();
  await system.query(
    `insert into marketplace_items
        (index_id, slug, sha256, kind, name, version, summary, tags, words, bytes, files)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
      on conflict (index_id, slug) do update set sha256 = excluded.sha256, kind = excluded.kind, name = excluded.name,
        version = excluded.version, summary = excluded.summary, tags = excluded.tags, words = excluded.words,
        bytes = excluded.bytes, files = excluded.files, updated_at = now()`,
    [
      indexId,
      slug,
      sha256,
      kind,
      name,
      version,
      summary,
      tags,
      words.toWellFormed(),
      bytes,
      JSON.stringify([...files]),
    ],
  );
}

/** An item in a list. One that ships with the service is identified by its slug alone. */
export type ListedItem = { readonly slug: string } & (
  | { readonly source: null }
  | Pick<MarketplaceItem, 'kind' | 'name' | 'version' | 'summary' | 'tags' | 'source'>
);

interface Catalog {
  /** The slugs of all items that ship with the service: they hide those of indexes. */
  readonly shipped: readonly string[];
  /** The operator's indexes: an item hides those of its slug in later ones. */
  readonly sources: readonly string[];
}

interface ListQuery extends Catalog {
  /** Those of the shipped ones that fit, and whether they are called by the words. */
  readonly found: readonly { readonly slug: string; readonly isNamed: boolean }[];
  /** In lower case. */
  readonly words: readonly string[];
  readonly kind: string | undefined;
  readonly tag: string | undefined;
  readonly page: Page;
}

// An item of the first index that has its slug.
const OFFERED = `from marketplace_items i join marketplace_indexes x on x.id = i.index_id
  where x.source = any($2::text[]) and not i.slug = any($1::text[]) and not exists (
    select from marketplace_items other join marketplace_indexes first on first.id = other.index_id
    where other.slug = i.slug and array_position($2, first.source) < array_position($2, x.source)
  )`;

/** Returns a page of the items that are offered, those that are called by the words first, then by slug. */
export async function listOfferedItems(
  { tenant }: TenantDatabase,
  orgId: string,
  { shipped, sources, found, words, kind, tag, page }: ListQuery,
): Promise<Listed<ListedItem>> {
  const slugs = found.map(({ slug }) => slug);
  const named = found.map(({ isNamed }) => isNamed);
  return readPage<ListedItem>(async (statement) => tenant.query(orgId, statement), {
    name: 'list-marketplace-items',
    columns: 'slug, source, kind, name, version, summary, tags',
    bytes: '600',
    source: `from (
        select slug, "isNamed", null as source, null as kind, null as name, null as version, null as summary,
          null::text[] as tags
        from unnest($3::text[], $4::boolean[]) as found (slug, "isNamed")
        union all
        select i.slug, not exists (
            select from unnest($5::text[]) word where strpos(lower(i.slug || ' ' || i.name), word) = 0
          ), x.source, i.kind, i.name, i.version, i.summary, i.tags
        ${OFFERED} and ($6::text is null or i.kind = $6) and ($7::text is null or $7 = any(i.tags))
          and not exists (select from unnest($5::text[]) word where strpos(i.words, word) = 0)
      ) offered`,
    order: '"isNamed" desc, slug collate "C"',
    values: [shipped, sources, slugs, named, words, kind ?? null, tag ?? null],
    page,
  });
}

/** The files of an item of an index. */
export interface OfferedFiles {
  readonly source: string;
  readonly files: ReadonlyMap<string, string>;
}

/** Returns the files of the item that is offered under a slug by an index; undefined when there is none. */
export async function findOfferedItem(
  { tenant }: TenantDatabase,
  orgId: string,
  slug: string,
  { shipped, sources }: Catalog,
): Promise<OfferedFiles | undefined> {
  const [row] = await tenant.query<{ source: string; files: string }>(orgId, {
    name: 'find-marketplace-item',
    text: `select x.source, i.files ${OFFERED} and i.slug = $3`,
    values: [shipped, sources, slug],
  });
  return row && { source: row.source, files: new Map(JSON.parse(row.files) as [string, string][]) };
}
