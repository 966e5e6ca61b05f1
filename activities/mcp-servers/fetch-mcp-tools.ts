import { cancellationSignal } from '@temporalio/activity';
import { findMcpConnection, noteFetchFailure, storeMcpTools } from '../../db/mcp-servers/index.ts';
import { getMember } from '../../db/orgs/index.ts';
import { notFound } from '../../domain/core/app-error.ts';
import type { ProbeMcpServerInput, StoredResult } from '../../workflows/short/contract.ts';
import { type McpClientDeps, withSession } from './mcp-client.ts';
import { McpFailure } from './sessions/mcp-failure.ts';
import { readToolList } from './read-tool-list.ts';

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
