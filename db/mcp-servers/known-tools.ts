import { LRUCache } from 'lru-cache';
import type { McpTool } from '../../domain/mcp-servers/index.ts';
import type { Database } from '../core/index.ts';
import { type AgentServer, findToolList } from './for-turn.ts';

/** The size of all remembered lists, in characters of their JSON. */
const MAX_REMEMBERED_CHARACTERS = 16_000_000;

/**
 * The fetched tools of MCP servers, remembered by the revision of their lists: a step of a turn does not read them
 * again.
 */
export class KnownMcpTools {
  readonly #database: Database;
  readonly #lists = new LRUCache<string, readonly McpTool[]>({
    maxSize: MAX_REMEMBERED_CHARACTERS,
    sizeCalculation: (tools) => JSON.stringify(tools).length,
  });

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the tools of a server; none when it is gone. */
  async toolsOf(orgId: string, server: AgentServer): Promise<readonly McpTool[]> {
    const known = this.#lists.get(keyOf(server));
    if (known !== undefined) return known;
    const list = await findToolList(this.#database, { orgId, serverId: server.id });
    if (list === undefined) return [];
    this.#lists.set(keyOf(list), list.tools);
    return list.tools;
  }
}

function keyOf({ id, revision }: Pick<AgentServer, 'id' | 'revision'>): string {
  return `${id}/${revision}`;
}
