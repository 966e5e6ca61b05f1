/**
 * Whose conventions a path follows, in its failures above all: those of this API, of OpenAI's, or of the Model Context
 * Protocol; `operations` are probes, metrics and documents.
 */
export type Convention = 'own' | 'openai' | 'mcp' | 'operations';

/** The path at which the Model Context Protocol is spoken. */
export const MCP_PATH = '/mcp';

/** Returns whose conventions a path follows. */
export function conventionOf(path: string): Convention {
  if (path.startsWith('/v1/')) return 'openai';
  if (path === MCP_PATH || path === `${MCP_PATH}/`) return 'mcp';
  return path.startsWith('/api/') ? 'own' : 'operations';
}
