-- MCP servers, with the tools that were last fetched from each.

create table mcp_servers (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  owner_id uuid references users (id) on delete set null,
  name text not null,
  description text,
  url text not null,
  config jsonb not null default '{}',
  auth_type text not null check (auth_type in ('none', 'bearer', 'header', 'oauth')),
  auth_value bytea,
  -- Changes with every field that connections depend on, as tools_revision does with the list of tools.
  connection uuid not null,
  tools jsonb not null default '[]',
  tools_revision uuid not null default gen_random_uuid(),
  tool_count int not null default 0,
  tools_fetched_at timestamptz,
  left_out jsonb not null default '[]',
  changed_tools jsonb not null default '[]',
  fetch_error text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- A person's grant, encrypted.
  granted bytea,
  signed_in_at timestamptz,
  -- The differences between the last fetch and the one before.
  fetch_changes jsonb,
  trusted boolean not null default false
);
comment on column mcp_servers.owner_id is 'Who added it; null when the account is gone.';
create index mcp_servers_owner on mcp_servers (owner_id) where owner_id is not null;
create index mcp_servers_org on mcp_servers (org_id, id);
call add_tenant_policy('mcp_servers');

-- Sign-ins at MCP servers that are under way.
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
create index mcp_sign_ins_expiry on mcp_sign_ins (expires_at);
call add_tenant_policy('mcp_sign_ins');
