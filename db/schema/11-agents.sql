-- Agents and their memories.

create table agents (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  name text not null,
  description text not null default '',
  agent_type text not null,
  system_prompt text not null default '',
  soul jsonb not null default '{}',
  tools jsonb not null default '[]',
  skills jsonb not null default '[]',
  mcps jsonb not null default '[]',
  model_pref text,
  temperature double precision not null,
  max_tokens int not null,
  max_subagents int not null,
  max_concurrency int not null,
  is_active boolean not null default true,
  is_published boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  provider_chain_id uuid references provider_chains (id) on delete set null,
  -- No foreign key: a persona that ships with the service has no row, and a deleted one is reported as missing.
  persona_id uuid,
  slug text,
  item_key text,
  version text,
  installed_digest text,
  requires_approval jsonb not null default '{}',
  knowledge_base_ids jsonb,
  deleted_by uuid references users (id) on delete set null,
  constraint agents_deleted_by check (deleted_by is null or deleted_at is not null)
);
comment on column agents.is_published is
  'Whether agents of other platforms are told of it, and reach it, by the Agent2Agent protocol.';
comment on column agents.slug is 'The marketplace item that it was installed from.';
comment on column agents.installed_digest is 'Of its fields as they were installed: it was edited when they differ.';
comment on column agents.requires_approval is
  'When calls wait for a person: never, writes or always, by tool key or *.';
comment on column agents.knowledge_base_ids is
  'The knowledge bases that it searches; null for all that its user may view.';
create index agents_org on agents (org_id, id);
create index agents_chain on agents (provider_chain_id) where provider_chain_id is not null;
create index agents_item on agents (org_id, slug, item_key) where slug is not null;
create index agents_profile on agents (org_id) where model_pref like 'profile:%';
create index agents_deleted_by on agents (deleted_by) where deleted_by is not null;
call add_tenant_policy('agents');

create table agent_memories (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  agent_id uuid not null references agents (id) on delete cascade,
  content text not null,
  type text not null check (type in ('fact', 'instruction', 'context', 'example')),
  tags jsonb not null default '[]',
  priority int not null check (priority between 1 and 5),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Derived from text from outside, and so may repeat it.
  is_foreign boolean not null default false
);
create index agent_memories_agent on agent_memories (agent_id, id);
create index agent_memories_org on agent_memories (org_id);
-- In the order in which prompts show them, so that a turn reads no more of an agent's than it shows.
create index agent_memories_prompt on agent_memories (
  agent_id,
  (case type when 'instruction' then 0 when 'fact' then 1 when 'context' then 2 else 3 end),
  priority desc, created_at desc, id desc
) where not is_foreign and length(content) <= 4000;
call add_tenant_policy('agent_memories');
