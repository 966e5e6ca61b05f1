import { withOrgTransaction } from '../../db/core/index.ts';
import { getMcpServer, readMcpTools } from '../../db/mcp-servers/index.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { runShort } from '../../workflows/short/client.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { defineRoute } from '../http/define-route.ts';
import { idParams } from '../resources/id-fields.ts';
import { mcpToolPresenter } from './present-mcp-server.ts';
import { mcpToolSchema } from './schema.ts';

/** Asks a server for its tools and stores them. The api itself reaches no server: a short workflow asks. */
export const fetchMcpToolsRoute = defineRoute({
  method: 'post',
  path: '/api/mcp-servers/{mcp_id}/tools/fetch',
  resource: 'mcp_servers',
  action: 'fetch_tools',
  access: 'mcp_servers.manage',
  tag: 'MCP servers',
  operationId: 'fetchMcpTools',
  summary: 'Ask the server for its tools, and return those that are stored then',
  description:
    'When the server cannot be asked, 502 says why, as does `fetch_error` of its record, and the tools that were fetched before stay. Tools that are not taken are named in `left_out`. `change` of a tool, and `fetch_changes` of the record, say what the server defines otherwise than at the fetch before.',
  params: idParams('mcp_id'),
  errors: [502],
  response: { status: 200, description: 'The tools that are stored now', schema: mcpToolSchema.array() },
  handler: async ({ caller, params: { mcp_id: serverId } }, context) => {
    const { database } = context;
    const { orgId } = caller;
    const server = async () => withOrgTransaction(database, orgId, (em) => getMcpServer(em, serverId));
    await server();
    const { ok } = await probe(context, caller, serverId);
    if (!ok) throw new AppError('upstream_failed', (await server()).fetchError ?? 'The server was changed meanwhile');
    const read = await readMcpTools(database, { orgId, serverId });
    if (read === undefined) throw notFound('MCP server');
    return read.tools.map(mcpToolPresenter(read.changes));
  },
});

async function probe({ temporal, probes, log }: ApiContext, caller: OrgCaller, serverId: string) {
  const { orgId, userId } = caller;
  const release = probes.acquire(caller);
  return runShort(temporal, 'probeMcpServer', { orgId, serverId, userId })
    .finally(release)
    .catch((error: unknown) => {
      log.warn({ err: error }, 'an MCP server could not be probed');
      throw new AppError('unavailable', 'The server could not be asked now; try again shortly', {
        cause: error,
        retryAfterSeconds: 5,
      });
    });
}
