import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MarketplaceItem } from '../../domain/marketplace/index.ts';
import { namesIn, readFolder } from '../definitions/index.ts';
import { readItem } from './read-item.ts';

const FOLDER = fileURLToPath(new URL('../marketplace/', import.meta.url));

let items: readonly MarketplaceItem[] | undefined;

/** Returns the items of the marketplace that ship with the service, in the order of their slugs. */
export function readShippedItems(): readonly MarketplaceItem[] {
  items ??= namesIn(FOLDER).map((slug) => readItem(slug, readFolder(join(FOLDER, slug))));
  return items;
}
