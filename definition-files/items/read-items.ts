import { join } from 'node:path';
import type { MarketplaceItem } from '../../domain/marketplace/index.ts';
import { namesIn, readFolder } from '../read-folder.ts';
import { readItem } from './read-item.ts';

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
