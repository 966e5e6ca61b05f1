import { defineEntity, p } from '@mikro-orm/core';
import type { LeftOutTool, McpAuthType, McpConfig, ToolChanges } from '../../domain/mcp-servers.ts';
import { tenantFilters, tenantProperties } from '../core/tenant-entity.ts';

const schema = defineEntity({
  name: 'McpServer',
  tableName: 'mcp_servers',
  filters: tenantFilters,
  properties: {
    ...tenantProperties,
    /** Who added it; null when the account is gone. */
    ownerId: p.uuid().strictNullable(),
    name: p.text(),
    description: p.text().strictNullable(),
    url: p.text(),
    config: p.json<McpConfig>(),
    /** Whether an administrator lets its tools be called without asking, also those that say that they destroy. */
    trusted: p.boolean(),
    authType: p.text().$type<McpAuthType>(),
    authValue: p.blob().$type<Buffer>().strictNullable(),
    /** When somebody last signed in at it; null while nobody has. */
    signedInAt: p.datetime().strictNullable(),
    /** Changes with everything that a connection is made from. */
    connection: p.uuid(),
    toolCount: p.integer(),
    /** When the tools were last fetched; null while they never were. */
    toolsFetchedAt: p.datetime().strictNullable(),
    leftOut: p.json<LeftOutTool[]>(),
    /** The changes since the previous fetch; null for the first one. */
    fetchChanges: p.json<ToolChanges>().strictNullable(),
    /** The tools that the server was seen to define otherwise since the fetch. */
    changedTools: p.json<string[]>(),
    /** Why the last fetch failed; null when it did not. */
    fetchError: p.text().strictNullable(),
  },
});

/** An MCP server of an organization. The list of its tools is large, and read by itself. */
export class McpServer extends schema.class {}
schema.setClass(McpServer);
export { schema as mcpServerSchema };
