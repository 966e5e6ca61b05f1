import { requireMayDirect } from '../../db/agents/may-direct.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import {
  createMcpServer,
  deleteMcpServer,
  getMcpServer,
  listMcpServers,
  lockMcpServer,
  updateMcpServer,
} from '../../db/mcp-servers/mcp-servers.ts';
import { readMcpTools } from '../../db/mcp-servers/tool-lists.ts';
import { requireRoom } from '../../db/orgs/require-room.ts';
import { readLacking } from '../../db/workers.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { toFields } from '../../domain/core/record-names.ts';
import { requireMayRedirect } from '../../domain/permissions/restrict.ts';
import { requireVersion } from '../../domain/resources.ts';
import { runProbe } from '../context/run-probe.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { pageOf } from '../http/pages.ts';
import {
  mcpProgramPresenter,
  mcpProgramSchema,
  mcpServerChangesSchema,
  mcpServerSchema,
  mcpToolPresenter,
  mcpToolSchema,
  newMcpServerSchema,
  presentMcpServer,
} from './schema.ts';
import { checkChanges, checkMayAddProgram, checkMayMoveTrust, checkMayTrust, checkNewServer } from './rules.ts';
import { mcpSignInRoutes } from './sign-in.ts';

const view = { resource: 'mcp_servers', access: 'mcp_servers.view', tag: 'MCP servers' } as const;
const manage = { resource: 'mcp_servers', access: 'mcp_servers.manage', tag: 'MCP servers' } as const;

/** Asks a server for its tools and stores them. The api itself reaches no server: a short workflow asks. */
const fetchMcpToolsRoute = defineRoute({
  method: 'post',
  path: '/api/mcp-servers/{mcp_id}/tools/fetch',
  resource: 'mcp_servers',
  action: 'fetch_tools',
  access: 'mcp_servers.manage',
  tag: 'MCP servers',
  operationId: 'fetchMcpTools',
  summary: 'Fetch the tools of an MCP server, and return the stored ones',
  description:
    "When the server cannot be reached, 502 and the record's `fetch_error` say why, and the tools fetched before are kept. Rejected tools are listed in `left_out`. `change` of a tool and `fetch_changes` of the record describe differences from the previous fetch.",
  errors: [502],
  response: { status: 200, description: 'The tools that are stored now', schema: mcpToolSchema.array() },
  handler: async ({ caller, params: { mcp_id: serverId } }, context) => {
    const { database } = context;
    const { orgId, userId } = caller;
    const server = async () => withOrgTransaction(database, orgId, (em) => getMcpServer(em, serverId));
    await server();
    const { ok } = await runProbe(context, caller, {
      type: 'probeMcpServer',
      input: { orgId, serverId, userId },
      failure: 'The server could not be asked now; try again shortly',
    });
    if (!ok)
      throw new AppError('upstream_failed', (await server()).fetchError ?? 'The server was changed in the meantime');
    const read = await readMcpTools(database, { orgId, serverId });
    if (read === undefined) throw notFound('MCP server');
    return read.tools.map(mcpToolPresenter(read.changes));
  },
});

export const mcpServerRoutes = [
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/mcp-servers',
    operationId: 'listMcpServers',
    summary: 'List the MCP servers of the organization',
    query: pageQuery,
    response: { status: 200, schema: mcpServerSchema.array() },
    handler: async ({ caller, query, answerPage }, { database }) =>
      answerPage(await listMcpServers(database, caller.orgId, query)).map(presentMcpServer),
  }),
  defineRoute({
    ...view,
    resource: 'mcp_programs',
    method: 'get',
    path: '/api/mcp-servers/catalog',
    operationId: 'listMcpPrograms',
    summary: "List the operator's programs that can be added as MCP servers",
    query: pageQuery,
    response: { status: 200, schema: mcpProgramSchema.array() },
    handler: async ({ query, answerPage }, { database, mcpCatalog }) => {
      const shown = mcpProgramPresenter(await readLacking(database, ['sandbox']));
      return answerPage(pageOf([...mcpCatalog.values()], query)).map(shown);
    },
  }),
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/mcp-servers/{mcp_id}',
    operationId: 'getMcpServer',
    summary: 'Get an MCP server',
    response: { status: 200, schema: mcpServerSchema },
    handler: async ({ caller, params: { mcp_id: id } }, { database }) =>
      presentMcpServer(await withOrgTransaction(database, caller.orgId, (em) => getMcpServer(em, id))),
  }),
  defineRoute({
    ...manage,
    method: 'post',
    path: '/api/mcp-servers',
    operationId: 'createMcpServer',
    summary: 'Add an MCP server; its secret is stored encrypted and never shown',
    description: 'No connection is made until its tools are fetched.',
    body: newMcpServerSchema,
    response: { status: 201, schema: mcpServerSchema },
    handler: async ({ caller, body }, context) => {
      const { database, box, orgLimits } = context;
      const { orgId, userId: ownerId } = caller;
      const fields = toFields(newMcpServerSchema, body);
      checkMayTrust(caller, fields.trusted);
      checkMayAddProgram(caller, fields.url);
      checkNewServer(fields, context);
      const created = await withOrgTransaction(database, orgId, async (em) => {
        await requireRoom(em, orgId, 'mcpServers', orgLimits);
        return createMcpServer(em, box, { ...fields, orgId, ownerId });
      });
      return presentMcpServer(created);
    },
  }),
  defineRoute({
    ...manage,
    method: 'patch',
    path: '/api/mcp-servers/{mcp_id}',
    operationId: 'updateMcpServer',
    summary: 'Change an MCP server; only the given fields change',
    description:
      'A new `url` requires the secret again: it is never sent to an address that its owner did not enter with it. The tools of the former address are discarded.',
    body: mcpServerChangesSchema,
    response: { status: 200, schema: mcpServerSchema },
    handler: async ({ caller, params: { mcp_id: id }, body, expectedVersions }, context) => {
      const { database, box } = context;
      await requireMayDirect(context.database, caller, { by: 'mcp_server', names: [id] });
      const changed = await withOrgTransaction(database, caller.orgId, async (em) => {
        const server = await lockMcpServer(em, id);
        requireMayRedirect(caller, server, 'MCP server');
        requireVersion(server, expectedVersions);
        const wanted = toFields(mcpServerChangesSchema, body);
        checkMayMoveTrust(caller, server, wanted);
        checkMayAddProgram(caller, wanted.url);
        const changes = checkChanges(server, wanted, context);
        return updateMcpServer(em, box, server, changes);
      });
      return presentMcpServer(changed);
    },
  }),
  defineRoute({
    ...manage,
    method: 'delete',
    path: '/api/mcp-servers/{mcp_id}',
    operationId: 'deleteMcpServer',
    summary: 'Delete an MCP server permanently; agents that refer to it keep working without it',
    response: { status: 204 },
    handler: async ({ caller, params: { mcp_id: id }, expectedVersions }, context) => {
      await requireMayDirect(context.database, caller, { by: 'mcp_server', names: [id] });
      await withOrgTransaction(context.database, caller.orgId, async (em) => {
        const server = await lockMcpServer(em, id);
        requireMayRedirect(caller, server, 'MCP server');
        requireVersion(server, expectedVersions);
        await deleteMcpServer(em, id);
      });
    },
  }),
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/mcp-servers/{mcp_id}/tools',
    action: 'view_tools',
    operationId: 'listMcpTools',
    summary: 'List the tools of an MCP server as last fetched',
    query: pageQuery,
    response: { status: 200, schema: mcpToolSchema.array() },
    handler: async ({ caller: { orgId }, params: { mcp_id: serverId }, query, answerPage }, { database }) => {
      const read = await readMcpTools(database, { orgId, serverId });
      if (read === undefined) throw notFound('MCP server');
      return answerPage(pageOf(read.tools, query)).map(mcpToolPresenter(read.changes));
    },
  }),
  fetchMcpToolsRoute,
  ...mcpSignInRoutes,
];
