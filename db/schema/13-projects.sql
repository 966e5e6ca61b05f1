-- Projects: the agents that work in one, the log of what is done there, and what was read of its repository.

create table projects (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  owner_id uuid references users (id) on delete set null,
  name text not null,
  description text not null,
  repo_url text not null,
  repo_type text not null check (repo_type in ('', 'github', 'gitlab', 'gitea')),
  provider_chain_id uuid references provider_chains (id) on delete set null,
  webhook_secret bytea,
  last_number int not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  -- The integration whose credentials reach the code host.
  integration_id uuid references integrations (id) on delete set null,
  sync_direction text not null default 'pull' check (sync_direction in ('pull', 'both')),
  deleted_by uuid references users (id) on delete set null,
  constraint projects_deleted_by check (deleted_by is null or deleted_at is not null)
);
comment on column projects.owner_id is 'Its creator; null when the account is gone.';
comment on column projects.last_number is 'The number of the issue that was added last.';
create index projects_org on projects (org_id, id);
create index projects_owner on projects (owner_id);
create index projects_chain on projects (provider_chain_id);
create index projects_integration on projects (integration_id);
create index projects_deleted_by on projects (deleted_by) where deleted_by is not null;
call add_tenant_policy('projects');

create table project_agents (
  project_id uuid not null references projects (id) on delete cascade,
  agent_id uuid not null references agents (id) on delete cascade,
  org_id uuid not null references orgs (id) on delete cascade,
  position int not null,
  primary key (project_id, agent_id)
);
create index project_agents_agent on project_agents (agent_id);
create index project_agents_org on project_agents (org_id);
call add_tenant_policy('project_agents');

create table project_logs (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  project_id uuid not null references projects (id) on delete cascade,
  user_id uuid references users (id) on delete set null,
  agent_id uuid references agents (id) on delete set null,
  action text not null,
  record_type text not null,
  record_id uuid not null,
  title text,
  changes jsonb not null default '{}',
  created_at timestamptz not null default now()
);
comment on column project_logs.user_id is 'Who did it, or for whom the agent did.';
comment on column project_logs.title is
  'What the record was called then; null for a chat, which may have become private.';
create index project_logs_project on project_logs (project_id, id);
create index project_logs_org on project_logs (org_id);
create index project_logs_user on project_logs (user_id);
create index project_logs_agent on project_logs (agent_id);
call add_tenant_policy('project_logs');

create table repo_trees (
  project_id uuid primary key references projects (id) on delete cascade,
  org_id uuid not null references orgs (id) on delete cascade,
  repo_url text not null,
  default_branch text,
  commit_id text,
  branches jsonb not null default '[]',
  has_more_branches boolean not null default false,
  outline text not null default '',
  files int,
  error text,
  failures int not null default 0,
  fetched_at timestamptz,
  checked_at timestamptz,
  due_at timestamptz,
  not_before timestamptz
);
comment on table repo_trees is 'What was last read of the repositories of projects; the outline is as prompts show it.';
comment on column repo_trees.repo_url is 'The address that it was read at: what came from a former one is not stored.';
comment on column repo_trees.commit_id is
  'The commit that the outline is of; null while none was read, and of an empty repository.';
comment on column repo_trees.fetched_at is 'When the host last told the state; null while it has not.';
comment on column repo_trees.due_at is 'When it is read again; null for a deleted project.';
comment on column repo_trees.not_before is 'Until then the host asks to be left alone.';
create index repo_trees_org on repo_trees (org_id);
create index repo_trees_due on repo_trees (due_at) where due_at is not null;
call add_tenant_policy('repo_trees');
