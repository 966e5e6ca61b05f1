import { readFileSync } from 'node:fs';
import { type McpCatalog, parseMcpCatalog } from '../domain/mcp-servers.ts';
import { parsePriceList, type PriceList } from '../domain/prices.ts';

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

/**
 * Reads the operator's file of programs that organizations may add as MCP servers; there are none without a path.
 * Throws an error that names the file and what is wrong with it.
 */
export function readMcpCatalog(path: string | undefined): McpCatalog {
  if (path === undefined) return new Map();
  try {
    return parseMcpCatalog(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`MCP_CATALOG (${path}): ${error instanceof Error ? error.message : 'it cannot be read'}`, {
      cause: error,
    });
  }
}
