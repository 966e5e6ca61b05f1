import type { Install } from '../../db/marketplace/index.ts';
import { isNewer, type ItemKind, type MarketplaceItem } from '../../domain/marketplace/index.ts';

interface ItemFilter {
  readonly q?: string | undefined;
  readonly kind?: ItemKind | undefined;
  readonly tag?: string | undefined;
}

/** Returns the items that hold all words, and are of the kind and tag. Those that hold the words in their name come first. */
export function filterItems(items: readonly MarketplaceItem[], { q = '', kind, tag }: ItemFilter): MarketplaceItem[] {
  const words = q.toLowerCase().split(/\s+/u).filter(Boolean);
  const fits = (item: MarketplaceItem) =>
    (kind === undefined || item.kind === kind) &&
    (tag === undefined || item.tags.includes(tag)) &&
    holdsAll([item.slug, item.name, item.summary, item.readme, ...item.tags].join('\n'), words);
  const isNamed = (item: MarketplaceItem) => holdsAll(`${item.slug} ${item.name}`, words);
  return items.filter(fits).toSorted((a, b) => Number(isNamed(b)) - Number(isNamed(a)));
}

function holdsAll(text: string, words: readonly string[]): boolean {
  const folded = text.toLowerCase();
  return words.every((word) => folded.includes(word));
}

/** Returns how an item stands in an organization. */
export function withInstall(item: MarketplaceItem, installs: ReadonlyMap<string, Install>) {
  const install = installs.get(item.slug);
  const installed = install === undefined ? null : { ...install, canUpgrade: isNewer(item.version, install.version) };
  return { ...item, installed };
}

/** Returns the records that an item installs. */
export function partsOf({ agents, definitions }: MarketplaceItem) {
  return [
    ...agents.map(({ key, name, description }) => ({ kind: 'agent' as const, key, name, description })),
    ...definitions.map(({ kind, content: { key, name, description } }) => ({ kind, key, name, description })),
  ];
}
