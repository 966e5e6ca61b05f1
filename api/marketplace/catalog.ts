import { readItem } from '../../definition-files/index.ts';
import {
  findOfferedItem,
  type Install,
  type ListedItem,
  listInstalls,
  listOfferedItems,
} from '../../db/marketplace/index.ts';
import type { Listed, Page } from '../../db/core/index.ts';
import { notFound } from '../../domain/core/app-error.ts';
import { isNewer, type ItemKind, type MarketplaceItem } from '../../domain/marketplace.ts';
import type { ApiContext } from '../context/api-context.ts';

type CatalogContext = Pick<ApiContext, 'database' | 'marketplace' | 'log'>;

interface ItemQuery {
  readonly q?: string | undefined;
  readonly kind?: ItemKind | undefined;
  readonly tag?: string | undefined;
  readonly page: Page;
}

/** An item in a list, and how it stands in an organization. */
export type ItemHead = Pick<MarketplaceItem, 'slug' | 'name' | 'kind' | 'version' | 'summary' | 'tags' | 'source'>;

/**
 * Returns a page of the items that hold all words, and are of the kind and tag; those that are called so come first.
 */
export async function listItems(
  { database, marketplace }: CatalogContext,
  orgId: string,
  { q = '', kind, tag, page }: ItemQuery,
): Promise<Listed<ItemHead & ReturnType<typeof installedOf>>> {
  const words = q.toLowerCase().split(/\s+/u).filter(Boolean);
  const fits = (item: MarketplaceItem) =>
    (kind === undefined || item.kind === kind) &&
    (tag === undefined || item.tags.includes(tag)) &&
    holdsAll([item.slug, item.name, item.summary, item.readme, ...item.tags].join('\n'), words);
  const found = marketplace.shipped
    .filter(fits)
    .map(({ slug, name }) => ({ slug, isNamed: holdsAll(`${slug} ${name}`, words) }));
  const query = { ...catalogOf(marketplace), found, words, kind, tag, page };
  const [listed, installs] = await Promise.all([
    listOfferedItems(database, orgId, query),
    listInstalls(database, orgId),
  ]);
  const shipped = new Map(marketplace.shipped.map((item) => [item.slug, item]));
  const headOf = (item: ListedItem) => (item.source === null ? required(shipped.get(item.slug)) : item);
  return {
    ...listed,
    items: listed.items.map((item) => {
      const head = headOf(item);
      return { ...head, ...installedOf(head, installs) };
    }),
  };
}

/** Returns the item that is offered under a slug; throws `not_found` when there is none. */
export async function findItem(
  { database, marketplace, log }: CatalogContext,
  orgId: string,
  slug: string,
): Promise<MarketplaceItem> {
  const shipped = marketplace.shipped.find((each) => each.slug === slug);
  if (shipped !== undefined) return shipped;
  const { sources } = catalogOf(marketplace);
  const offered =
    sources.length === 0 ? undefined : await findOfferedItem(database, orgId, slug, catalogOf(marketplace));
  if (offered === undefined) throw notFound('Marketplace item');
  try {
    return readItem(slug, offered.files, offered.source);
  } catch (error) {
    // It was read by an earlier version of the service, whose rules were others.
    log.warn({ err: error, slug, source: offered.source }, 'an item of an index cannot be read any more');
    throw notFound('Marketplace item');
  }
}

/** Returns the slugs and sources by which it is decided which item is offered. */
function catalogOf({ shipped, indexes }: ApiContext['marketplace']) {
  return { shipped: shipped.map(({ slug }) => slug), sources: indexes.map(({ source }) => source) };
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('only items that ship with the service are listed by their slug alone');
  return value;
}

function holdsAll(text: string, words: readonly string[]): boolean {
  const folded = text.toLowerCase();
  return words.every((word) => folded.includes(word));
}

/** Returns how an item stands in an organization. One that was installed from elsewhere is no older version of it. */
export function installedOf(
  item: Pick<ItemHead, 'slug' | 'version' | 'source'>,
  installs: ReadonlyMap<string, Install>,
) {
  const install = installs.get(item.slug);
  if (install === undefined) return { installed: null };
  const canUpgrade = install.source === item.source && isNewer(item.version, install.version);
  return { installed: { ...install, canUpgrade } };
}

/** Returns the records that an item installs. */
export function partsOf({ agents, definitions }: MarketplaceItem) {
  return [
    ...agents.map(({ key, name, description }) => ({ kind: 'agent' as const, key, name, description })),
    ...definitions.map(({ kind, content: { key, name, description } }) => ({ kind, key, name, description })),
  ];
}
