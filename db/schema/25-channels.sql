-- Channels: conversations with an agent in another service.

create table channels (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  owner_id uuid references users (id) on delete set null,
  name text not null,
  kind text not null,
  agent_id uuid references agents (id) on delete set null,
  integration_id uuid references integrations (id) on delete set null,
  connection uuid not null,
  secret bytea not null,
  matches_email boolean not null,
  people jsonb not null,
  mail jsonb,
  is_active boolean not null,
  error text,
  next_edit_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table channels is 'Apps of chat services, and mailboxes, in which an agent answers.';
comment on column channels.owner_id is 'Who added it; null once the account is deleted.';
comment on column channels.integration_id is 'Whose credentials it uses; null if the integration was deleted.';
comment on column channels.connection is
  'That of the integration when the channel was set up: the channel rests once it is another, since whoever answers for the service says who has sent a message.';
comment on column channels.secret is 'With which the service signs, encrypted.';
comment on column channels.matches_email is 'Whether a sender is the member with the e-mail address that the service knows.';
comment on column channels.people is 'Senders by the names of the service, and the accounts that they are.';
comment on column channels.mail is 'Its mailbox, and the mail service that says who has sent a mail; null for other kinds.';
comment on column channels.error is 'Why the last message was not answered; null if it was.';
comment on column channels.next_edit_at is 'Until then no answer is edited while it is written: the service limits calls.';
create index channels_org on channels (org_id, id);
create unique index channels_name on channels (org_id, lower(name));
create index channels_owner on channels (owner_id) where owner_id is not null;
create index channels_agent on channels (agent_id) where agent_id is not null;
create index channels_integration on channels (integration_id) where integration_id is not null;
call add_tenant_policy('channels');

create table channel_threads (
  chat_id uuid primary key references chats (id) on delete cascade,
  org_id uuid not null references orgs (id) on delete cascade,
  channel_id uuid not null references channels (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  channel text not null,
  thread text,
  created_at timestamptz not null default now()
);
comment on table channel_threads is 'The chat that somebody has with the agent in a thread of a service.';
comment on column channel_threads.channel is 'The id of the conversation in the service.';
comment on column channel_threads.thread is 'The message that the thread begins with; null for a conversation without threads.';
create unique index channel_threads_place on channel_threads (channel_id, user_id, channel, thread) nulls not distinct;
create index channel_threads_org on channel_threads (org_id);
create index channel_threads_user on channel_threads (user_id);
call add_tenant_policy('channel_threads');

create table channel_events (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  channel_id uuid not null references channels (id) on delete cascade,
  event_id text not null,
  sender text not null,
  message jsonb,
  mail jsonb,
  received bytea,
  is_stop boolean not null default false,
  status text not null default 'pending'
    check (status in ('pending', 'accepted', 'stopped', 'refused', 'ignored', 'failed')),
  tries int not null default 0,
  next_attempt_at timestamptz not null default now(),
  reply_begun boolean not null default false,
  reply text,
  edits int not null default 0,
  edit_until timestamptz,
  connection uuid,
  account text,
  files jsonb not null default '{}',
  received_at timestamptz not null default now(),
  unique (channel_id, event_id)
);
comment on table channel_events is 'Messages that services have delivered, so that each counts once.';
comment on column channel_events.event_id is 'That of the service: the same one again has no effect.';
comment on column channel_events.message is 'Null once it was handled: the chat has it then.';
comment on column channel_events.mail is 'What an answer to a mail refers to; null once it is not to be answered, and for other messages.';
comment on column channel_events.received is 'A mail as it was delivered, empty if a stranger has sent it; null once it was handled, and for other messages.';
comment on column channel_events.is_stop is 'Whether it asks to stop the answer: it is handled before what waits.';
comment on column channel_events.connection is
  'That of the integration when the message was accepted: its answer goes to nobody else. Null until then.';
comment on column channel_events.account is
  'The address of the service and the workspace that it was accepted from: other credentials of that account answer, too. Null when it is unknown.';
comment on column channel_events.files is
  'Ids of the files of the message that were added to its chat, by their position in it: another attempt adds them no more.';
comment on column channel_events.reply is 'The message of the service that becomes the answer; null while there is none.';
comment on column channel_events.edits is 'How often the reply was edited while the answer was written.';
comment on column channel_events.edit_until is
  'Until then such an edit may be under way: the answer is written again after it. Null when the last one has ended.';
create index channel_events_pending on channel_events (channel_id, id) where status = 'pending';
create index channel_events_due on channel_events (next_attempt_at) where status = 'pending';
create index channel_events_sender on channel_events (channel_id, sender, id);
create index channel_events_unanswered on channel_events (channel_id, id) where status not in ('pending', 'accepted');
create index channel_events_org on channel_events (org_id);
create index channel_events_received on channel_events (received_at);
call add_tenant_policy('channel_events');
