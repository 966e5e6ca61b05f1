import { cancellationSignal } from '@temporalio/activity';
import { LRUCache } from 'lru-cache';
import type { CallToolResult } from '@modelcontextprotocol/client';
import type { Logger } from 'pino';
import { findMcpConnection, findToolList, type McpConnection } from '../../db/mcp-servers/for-turn.ts';
import { noteChangedTools, noteFetchFailure, type ServerRef, storeMcpTools } from '../../db/mcp-servers/tool-lists.ts';
import { getMember } from '../../db/orgs/memberships.ts';
import { notFound } from '../../domain/core/app-error.ts';
import type { ProbeMcpServerInput, StoredResult } from '../../workflows/short/contract.ts';
import { McpFailure } from './mcp-failure.ts';
import { findChangedTools, readToolList } from './read-tool-list.ts';
import type { Database } from '../../db/core/database.ts';
import { effectOfMcpTool, type McpTool } from '../../domain/mcp-servers.ts';
import type { McpSession } from './sessions/mcp-session.ts';
import type { McpSessions } from './mcp-sessions.ts';

/** The dependencies of everything that reaches an MCP server. */
export interface McpClientDeps {
  readonly database: Database;
  readonly sessions: McpSessions;
  readonly log: Logger;
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

/** The answer of a server to a call. */
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

  // Runs beside the call: what it finds is stored on the record, and added to later results.
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
  /** Whether the request may be repeated. */
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

/** Less than the caller of the workflow waits. */
const LIMIT_MS = 35_000;

/**
 * Makes the activity that asks a server for its tools, on behalf of a member, and stores them; when that fails, why.
 * Words of the server stay out of the workflow's history.
 */
export function createFetchMcpTools({ database, sessions, log }: McpClientDeps) {
  return async function fetchMcpTools(input: ProbeMcpServerInput): Promise<StoredResult> {
    const limit = AbortSignal.timeout(LIMIT_MS);
    const signal = AbortSignal.any([cancellationSignal(), limit]);
    await getMember(database, input);
    const server = await findMcpConnection(database, input);
    if (server === undefined) throw notFound('MCP server');
    try {
      const listing = await withSession(sessions, server, { signal, mayRepeat: true }, async (session) =>
        readToolList(session, signal),
      );
      const changes = await storeMcpTools(database, input, { connection: server.connection, ...listing });
      const { changed = [], removed = [] } = changes ?? {};
      if (changed.length + removed.length > 0)
        log.info({ serverId: server.id, changed, removed }, 'an MCP server has changed tools since they were fetched');
      return { ok: true };
    } catch (error) {
      const failure = limit.aborted ? outOfTime() : error;
      if (!(failure instanceof McpFailure)) throw error;
      log.info({ err: failure, serverId: server.id }, 'the tools of an MCP server could not be fetched');
      await noteFetchFailure(database, input, failure.message);
      return { ok: false };
    }
  };
}

function outOfTime(): McpFailure {
  return new McpFailure('timeout', `The server did not list its tools within ${LIMIT_MS / 1000} seconds`);
}
