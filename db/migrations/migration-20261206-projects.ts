import { Migration } from '@mikro-orm/migrations';
import { tenantPolicy } from './tenant-policy.ts';

/** Adds projects, the agents that work in them, the log of what is done there, and the chats that belong to them. */
export class Migration20261206Projects extends Migration {
  override up(): void {
    this.addSql(PROJECTS);
    for (const table of ['projects', 'project_agents', 'project_logs']) this.addSql(tenantPolicy(table));
    // The owner of the tables is bound to an organization too, and this changes the rows of all.
    this.addSql("select set_config('app.scope', 'system', true)");
    this.addSql(CHATS);
    this.addSql("select set_config('app.scope', '', true)");
  }
}

const PROJECTS = /* sql */ `
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
  deleted_at timestamptz
);
create index projects_org on projects (org_id, id);
create index projects_owner on projects (owner_id);
create index projects_chain on projects (provider_chain_id);
comment on column projects.owner_id is 'Its creator; null when the account is gone.';
comment on column projects.last_number is 'The number of the issue that was added last.';

create table project_agents (
  project_id uuid not null references projects (id) on delete cascade,
  agent_id uuid not null references agents (id) on delete cascade,
  org_id uuid not null references orgs (id) on delete cascade,
  place int not null,
  primary key (project_id, agent_id)
);
create index project_agents_agent on project_agents (agent_id);
create index project_agents_org on project_agents (org_id);

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
create index project_logs_project on project_logs (project_id, id);
create index project_logs_org on project_logs (org_id);
create index project_logs_user on project_logs (user_id);
create index project_logs_agent on project_logs (agent_id);
comment on column project_logs.user_id is 'Who did it, or for whom the agent did.';
comment on column project_logs.title is 'What the record was called then; null for a chat, which may have become private.';
`;

const CHATS = /* sql */ `
alter table chats
  add column project_id uuid references projects (id) on delete set null,
  add column is_private boolean not null default false,
  add column root_chat_id uuid;
comment on column chats.project_id is 'Of the chat at the root: those of sub-agents are where it is.';
comment on column chats.root_chat_id is 'For a sub-agent: the chat at the root.';
create index chats_project on chats (project_id) where project_id is not null;
create index chats_shared on chats (org_id, updated_at desc)
  where project_id is not null and not is_private and deleted_at is null;

with recursive tree (id, root_id) as (
  select id, id from chats where parent_chat_id is null
  union all
  select c.id, tree.root_id from tree join chats c on c.parent_chat_id = tree.id
)
update chats set root_chat_id = tree.root_id from tree where chats.id = tree.id and chats.parent_chat_id is not null;
`;
