import { z } from 'zod';
import { deepFreeze, readJson } from './read-content.ts';
import { builtinTools } from './tool-definitions.ts';

// Templates and stored agents name tools of the catalog that this version does not run yet.
const catalog = deepFreeze(readJson('tool-keys.json', z.array(z.string().regex(/^[a-z][a-z0-9_]*$/))));
const keys: ReadonlySet<string> = new Set([...catalog, ...builtinTools.map(({ key }) => key)]);

/**
 * Tells whether a key is that of a tool of the catalog, or `mcp`, which stands for the tools of an agent's MCP servers.
 */
export function isToolKey(key: string): boolean {
  return keys.has(key);
}
