import { readFileSync } from 'node:fs';
import { parsePriceList, type PriceList } from '../domain/prices/index.ts';

/**
 * Reads the operator's prices; there are none without a path. Throws an error that names the file and all that is wrong
 * with it.
 */
export function readPriceFile(path: string | undefined, providerTypes: readonly string[]): PriceList {
  if (path === undefined) return new Map();
  try {
    return parsePriceList(readFileSync(path, 'utf8'), providerTypes);
  } catch (error) {
    throw new Error(`PRICES_FILE (${path}): ${error instanceof Error ? error.message : 'it cannot be read'}`, {
      cause: error,
    });
  }
}
