-- Chats of people and programs with an agent. The work of a sub-agent is a chat of its own, below the one that
-- delegated it.

create table chats (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  agent_id uuid not null references agents (id) on delete cascade,
  title text not null,
  -- It was created without a title, and gets the beginning of its first message.
  awaits_title boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  provider_chain_id uuid references provider_chains (id) on delete set null,
  parent_chat_id uuid references chats (id) on delete cascade,
  -- It has read text from outside.
  has_foreign_text boolean not null default false,
  model_tags text[],
  project_id uuid references projects (id) on delete set null,
  is_private boolean not null default false,
  root_chat_id uuid,
  former_project_id uuid references projects (id) on delete set null,
  left_project_at timestamptz,
  -- Its origin, by which those of people are found beside thousands of runs.
  origin text not null default 'person' check (origin in ('person', 'program', 'workflow', 'schedule', 'issue'))
);
comment on column chats.model_tags is
  'For a sub-agent: the kinds of work, in lower case, for which its model profile is chosen.';
comment on column chats.project_id is 'Of the chat at the root: those of sub-agents are where it is.';
comment on column chats.root_chat_id is 'For a sub-agent: the chat at the root.';
comment on column chats.former_project_id is
  'The deleted project to which it belonged, and comes back when that is restored.';
create index chats_owner on chats (org_id, user_id, updated_at desc);
create index chats_agent on chats (agent_id);
create index chats_user on chats (user_id);
create index chats_chain on chats (provider_chain_id) where provider_chain_id is not null;
create index chats_parent on chats (parent_chat_id) where parent_chat_id is not null;
-- A block range index: rows are stored in the order of their time, and it adds no cost to an insert.
create index chats_time on chats using brin (created_at) with (autosummarize = on);
create index chats_project on chats (project_id) where project_id is not null;
create index chats_shared on chats (org_id, updated_at desc)
  where project_id is not null and not is_private and deleted_at is null;
create index chats_former_project on chats (former_project_id) where former_project_id is not null;
create index chats_of_project on chats (project_id, updated_at desc)
  where project_id is not null and deleted_at is null;
create index chats_deleted on chats (deleted_at) where deleted_at is not null and parent_chat_id is null;
create index chats_of_origin on chats (org_id, user_id, origin, updated_at desc)
  where parent_chat_id is null and deleted_at is null;
call add_tenant_policy('chats');
