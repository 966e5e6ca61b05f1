import { Migration } from '@mikro-orm/migrations';
import { tenantPolicy } from './tenant-policy.ts';

/** Adds what people have granted to MCP servers, and the sign-ins that are under way. */
export class Migration20261125McpSignIns extends Migration {
  override up(): void {
    this.addSql('alter table mcp_servers add column granted bytea, add column signed_in_at timestamptz');
    this.addSql(SIGN_INS);
    this.addSql(tenantPolicy('mcp_sign_ins'));
  }
}

const SIGN_INS = `
create table mcp_sign_ins (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  server_id uuid not null references mcp_servers (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  connection uuid not null,
  redirect_url text not null,
  state_digest bytea,
  sealed bytea,
  error text,
  expires_at timestamptz not null default now() + interval '10 minutes'
);
create unique index mcp_sign_ins_state on mcp_sign_ins (state_digest) where state_digest is not null;
create index mcp_sign_ins_server on mcp_sign_ins (server_id);
create index mcp_sign_ins_user on mcp_sign_ins (user_id);
create index mcp_sign_ins_org on mcp_sign_ins (org_id);
`;
