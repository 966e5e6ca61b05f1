import { Migration } from '@mikro-orm/migrations';
import { tenantPolicy } from './tenant-policy.ts';

/** Adds the MCP servers of organizations, with the tools that were last fetched from each. */
export class Migration20261125McpServers extends Migration {
  override up(): void {
    this.addSql(SERVERS);
    this.addSql(tenantPolicy('mcp_servers'));
  }
}

// `connection` changes with everything that a connection is made from, `tools_revision` with the list of tools.
const SERVERS = `
create table mcp_servers (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  name text not null,
  description text,
  url text not null,
  config jsonb not null default '{}',
  auth_type text not null check (auth_type in ('none', 'bearer', 'header', 'oauth')),
  auth_value bytea,
  connection uuid not null,
  tools jsonb not null default '[]',
  tools_revision uuid not null default gen_random_uuid(),
  tool_count int not null default 0,
  tools_fetched_at timestamptz,
  left_out jsonb not null default '[]',
  changed_tools jsonb not null default '[]',
  fetch_error text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index mcp_servers_org on mcp_servers (org_id, id);
`;
