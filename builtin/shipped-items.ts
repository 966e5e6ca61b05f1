import { fileURLToPath } from 'node:url';
import { readItems } from '../definition-files/index.ts';
import type { MarketplaceItem } from '../domain/marketplace.ts';

const FOLDER = fileURLToPath(new URL('marketplace/', import.meta.url));

let items: readonly MarketplaceItem[] | undefined;

/**
 * Returns the items of the marketplace that ship with the service, in the order of their slugs. A broken one is a
 * broken installation, so it ends the start.
 */
export function readShippedItems(): readonly MarketplaceItem[] {
  items ??= readItems(FOLDER);
  return items;
}
