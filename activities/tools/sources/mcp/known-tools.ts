import { LRUCache } from 'lru-cache';
import type { Database } from '../../../../db/core/index.ts';
import { type AgentServer, readToolLists } from '../../../../db/mcp-servers/index.ts';
import type { McpTool } from '../../../../domain/mcp-servers/index.ts';

/** The size of all remembered lists, in characters of their JSON. */
const MAX_REMEMBERED_CHARACTERS = 16_000_000;

/** The fetched tools of MCP servers, remembered by the revision of their lists: a step of a turn does not read them again. */
export class KnownMcpTools {
  readonly #database: Database;
  readonly #lists = new LRUCache<string, readonly McpTool[]>({
    maxSize: MAX_REMEMBERED_CHARACTERS,
    sizeCalculation: (tools) => JSON.stringify(tools).length,
  });

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the tools of each server, by the server's id. */
  async toolsOf(orgId: string, servers: readonly AgentServer[]): Promise<ReadonlyMap<string, readonly McpTool[]>> {
    const found = new Map<string, readonly McpTool[]>();
    for (const server of servers) {
      const tools = this.#lists.get(keyOf(server));
      if (tools !== undefined) found.set(server.id, tools);
    }
    const missing = servers.flatMap(({ id }) => (found.has(id) ? [] : [id]));
    if (missing.length === 0) return found;
    for (const list of await readToolLists(this.#database, orgId, missing)) {
      this.#lists.set(keyOf(list), list.tools);
      found.set(list.id, list.tools);
    }
    return found;
  }
}

function keyOf({ id, revision }: Pick<AgentServer, 'id' | 'revision'>): string {
  return `${id}/${revision}`;
}
