import type { UseQueryResult } from '@tanstack/react-query';
import { useAnswer, useFirstPage, useRecordActions } from '../core/http/use-answer.ts';
import { answerOf } from '../core/http/api-client.ts';
import { useApi } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';

type Schemas = components['schemas'];
export type McpServer = Schemas['McpServer'];
export type McpTool = Schemas['McpTool'];
export type McpProgram = Schemas['McpProgram'];
export type NewServer = Schemas['McpServerCreate'];

const query = { limit: 1_000 };

/** Returns the MCP servers of the organization; asks for nothing while it is off. */
export function useServers(enabled = true): UseQueryResult<{ items: McpServer[]; total: number }> {
  return useFirstPage(['mcp-servers', 'list'], '/api/mcp-servers', { params: { query }, enabled });
}

/** Returns one MCP server. */
export function useServer(id: string): UseQueryResult<McpServer> {
  return useAnswer(['mcp-servers', 'one', id], '/api/mcp-servers/{mcp_id}', { params: { path: { mcp_id: id } } });
}

/** Returns the tools of a server as they were fetched last; asks for nothing while it is off. */
export function useServerTools(id: string, enabled = true): UseQueryResult<McpTool[]> {
  return useAnswer(['mcp-servers', 'tools', id, 'whole'], '/api/mcp-servers/{mcp_id}/tools', {
    params: { path: { mcp_id: id }, query },
    enabled,
  });
}

/** Returns the programs of the operator that can be added as servers. */
export function usePrograms(): UseQueryResult<McpProgram[]> {
  return useAnswer(['mcp-servers', 'programs'], '/api/mcp-servers/catalog', { params: { query } });
}

/** Returns what adds, asks, changes and deletes servers, and reads them again. */
export function useServerActions() {
  const records = useRecordActions('mcp-servers', '/api/mcp-servers', '/api/mcp-servers/{mcp_id}');
  const { read } = records;
  const api = useApi();
  const at = (id: string) => ({ path: { mcp_id: id } });
  return {
    ...records,
    /** Asks a server for its tools; what it has failed by is in the record as well. */
    fetchTools: async (id: string) => {
      try {
        return await answerOf(api.POST('/api/mcp-servers/{mcp_id}/tools/fetch', { params: at(id) }));
      } finally {
        await read();
      }
    },
    /** Begins to sign in at a server, and returns where that is done. */
    beginSignIn: async (id: string): Promise<string> => {
      const { auth_url: address } = await answerOf(
        api.POST('/api/mcp-servers/{mcp_id}/oauth/start', { params: at(id) }),
      );
      return address;
    },
    /** Ends a sign-in with the address that one has come back to. */
    finishSignIn: async (id: string, callbackUrl: string) => {
      await answerOf(
        api.POST('/api/mcp-servers/{mcp_id}/oauth/finish', { params: at(id), body: { callback_url: callbackUrl } }),
      );
      await read();
    },
  };
}
