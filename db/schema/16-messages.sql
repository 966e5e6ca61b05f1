-- The messages of chats. A turn begins with a message of a user, and ends with one of its agent.

create table messages (
  id uuid primary key,
  seq bigint not null generated always as identity,
  org_id uuid not null references orgs (id) on delete cascade,
  chat_id uuid not null references chats (id) on delete cascade,
  turn_id uuid not null references turns (id) on delete cascade,
  role text not null check (role in ('user', 'assistant')),
  content text not null,
  metadata jsonb not null default '{}',
  provider_used text,
  agent_id uuid references agents (id) on delete set null,
  user_id uuid references users (id) on delete set null,
  excluded boolean not null default false,
  client_message_id text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  file_ids uuid[]
);
create index messages_chat on messages (chat_id, seq);
create unique index messages_turn_role on messages (turn_id, role);
create unique index messages_client_id on messages (chat_id, client_message_id) where client_message_id is not null;
create index messages_of_channels on messages (client_message_id) where client_message_id like 'channel %';
create index messages_org on messages (org_id);
create index messages_agent on messages (agent_id);
create index messages_user on messages (user_id);
-- As chats_time.
create index messages_time on messages using brin (created_at) with (autosummarize = on);
call add_tenant_policy('messages');
