import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MarketplaceItem } from '../../domain/marketplace/index.ts';
import { namesIn, readFolder } from '../definitions/index.ts';
import { readItem } from './read-item.ts';

const FOLDER = fileURLToPath(new URL('../marketplace/', import.meta.url));

let items: readonly MarketplaceItem[] | undefined;

/**
 * Returns the items of the marketplace that ship with the service, in the order of their slugs. A broken one is a
 * broken installation, so it ends the start.
 */
export function readShippedItems(): readonly MarketplaceItem[] {
  items ??= readItems(FOLDER);
  return items;
}

/** Reads a folder of items; throws an error that names the first one that is broken. */
export function readItems(folder: string): MarketplaceItem[] {
  return namesIn(folder).map((slug) => {
    try {
      return readItem(slug, readFolder(join(folder, slug)));
    } catch (error) {
      throw new Error(`${join(folder, slug)}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  });
}
