-- The chats that continue conversations which clients of the chat completions, or of the MCP endpoint, keep themselves.

create table completions (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  chat_id uuid not null references chats (id) on delete cascade,
  digest bytea not null check (octet_length(digest) = 32),
  idempotency_key text,
  created_at timestamptz not null default now(),
  call_digest bytea check (octet_length(call_digest) = 32),
  after_turn_id uuid
);
comment on column completions.id is 'The client_message_id of the message in its chat.';
comment on column completions.digest is
  'SHA-256 of the agent and of the conversation, up to the message that is answered.';
comment on column completions.call_digest is
  'SHA-256 of the session and the id of an MCP request, which may be used again; of that digest once it is cancelled.';
comment on column completions.after_turn_id is
  'The turn of the chat that the message goes on after; null where any may be the last one.';
create unique index completions_key on completions (org_id, user_id, idempotency_key) where idempotency_key is not null;
create index completions_digest on completions (org_id, user_id, digest);
create index completions_chat on completions (chat_id);
create index completions_user on completions (user_id);
create index completions_call on completions (org_id, user_id, call_digest) where call_digest is not null;
call add_tenant_policy('completions');
