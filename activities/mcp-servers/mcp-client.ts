import { LRUCache } from 'lru-cache';
import type { CallToolResult } from '@modelcontextprotocol/client';
import type { Logger } from 'pino';
import type { Database } from '../../db/core/index.ts';
import { findMcpConnection, findToolList, type McpConnection, noteChangedTools } from '../../db/mcp-servers/index.ts';
import { effectOfMcpTool, type McpTool } from '../../domain/mcp-servers.ts';
import { McpFailure } from './sessions/mcp-failure.ts';
import type { McpSession } from './sessions/mcp-session.ts';
import type { McpSessions } from './sessions/mcp-sessions.ts';
import { findChangedTools } from './read-tool-list.ts';

/** The dependencies of everything that reaches an MCP server. */
export interface McpClientDeps {
  readonly database: Database;
  readonly sessions: McpSessions;
  readonly log: Logger;
}

/** A server of an organization. */
export interface ServerRef {
  readonly orgId: string;
  readonly serverId: string;
}

/** A call of a tool of a server. */
export interface McpCall {
  /** The server as `McpClient.find` has found it. */
  readonly server: McpConnection | undefined;
  readonly tool: McpTool;
  readonly args: Readonly<Record<string, unknown>>;
  /** The same each time this call is repeated. */
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
}

/** What a server has answered to a call. */
export interface McpAnswer extends Pick<CallToolResult, 'content' | 'structuredContent' | 'isError'> {
  /** Whether the server defines the tool otherwise than when its tools were fetched. */
  readonly hasChangedTool: boolean;
}

const DEFAULT_TIMEOUT_SECONDS = 60;
const MAX_TOTAL_MS = 10 * 60_000;
const CHECK_LIMIT_MS = 30_000;
/** How long a server is taken at its word that it has its tools as they were fetched. */
const CHECKED_MS = 10 * 60_000;
const MAX_CHECKED = 1_000;

/** Calls the tools of MCP servers. */
export class McpClient {
  readonly #deps: McpClientDeps;
  /** The changed tools of the servers that were asked a short time ago, by server and revision of its list. */
  readonly #checked = new LRUCache<string, Promise<ReadonlySet<string>>>({ max: MAX_CHECKED, ttl: CHECKED_MS });

  constructor(deps: McpClientDeps) {
    this.#deps = deps;
  }

  /** Returns how a server is reached now; undefined when it was removed. */
  async find(ref: ServerRef): Promise<McpConnection | undefined> {
    return findMcpConnection(this.#deps.database, ref);
  }

  /** Calls a tool; throws `McpFailure`, or the signal's reason once it has aborted. */
  async call({ server, tool, args, idempotencyKey, signal }: McpCall): Promise<McpAnswer> {
    if (server === undefined) throw new McpFailure('not_found', 'The MCP server of this tool was removed');
    const effect = effectOfMcpTool(tool.annotations);
    const timeoutMs = (server.config.timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000;
    const call = {
      tool,
      args,
      key: effect === 'keyed' ? idempotencyKey : undefined,
      timeoutMs,
      maxTotalMs: Math.max(MAX_TOTAL_MS, timeoutMs),
      signal,
    };
    const options = { signal, mayRepeat: effect !== 'once' };
    const { content, structuredContent, isError } = await withSession(
      this.#deps.sessions,
      server,
      options,
      (session) => {
        this.#check(server, session);
        return session.call(call);
      },
    );
    return { content, structuredContent, isError, hasChangedTool: await this.#hasChanged(server, tool.name) };
  }

  // Goes on beside the call: what it finds is on the record, and told with later results.
  #check(server: McpConnection, session: McpSession): void {
    const key = checkedKey(server);
    if (this.#checked.has(key)) return;
    this.#checked.set(
      key,
      this.#findChanged(server, session).catch((error: unknown) => {
        this.#deps.log.debug({ err: error, serverId: server.id }, 'the tools of an MCP server could not be compared');
        return new Set<string>();
      }),
    );
  }

  async #findChanged(server: McpConnection, session: McpSession): Promise<ReadonlySet<string>> {
    const { database } = this.#deps;
    const { orgId, id: serverId, revision } = server;
    const list = await findToolList(database, { orgId, serverId });
    if (list?.revision !== revision) return new Set();
    const names = await findChangedTools(session, list.tools, AbortSignal.timeout(CHECK_LIMIT_MS));
    await noteChangedTools(database, { orgId, serverId }, { revision, names });
    return new Set(names);
  }

  async #hasChanged(server: McpConnection, name: string): Promise<boolean> {
    const known = this.#checked.get(checkedKey(server));
    const unknown: ReadonlySet<string> = new Set();
    // Nobody waits for a comparison that is not done.
    return (await Promise.race([known ?? unknown, Promise.resolve(unknown)])).has(name);
  }
}

function checkedKey({ id, revision }: McpConnection): string {
  return `${id}/${revision}`;
}

interface SessionUse {
  readonly signal: AbortSignal;
  /** Whether what is done may be done twice. */
  readonly mayRepeat: boolean;
}

/**
 * Works with the session of a server. When the server no longer knows an open session, nothing was done: another one is
 * opened, once. A connection that broke off is tried once more where the work may be repeated.
 */
export async function withSession<T>(
  sessions: McpSessions,
  server: McpConnection,
  { signal, mayRepeat }: SessionUse,
  work: (session: McpSession) => Promise<T>,
): Promise<T> {
  const { session, isFresh } = await sessions.get(server, signal);
  try {
    return await work(session);
  } catch (error) {
    if (!(error instanceof McpFailure)) throw error;
    const isBroken = error.kind === 'upstream' && error.mayHaveRun;
    if (isBroken || error.isSessionLost) sessions.drop(server, session);
    const isAgain = isFresh ? isBroken && mayRepeat : error.isSessionLost || (isBroken && mayRepeat);
    if (!isAgain) throw error;
  }
  const next = await sessions.get(server, signal);
  return work(next.session);
}
