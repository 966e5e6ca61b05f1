-- Webhooks: the addresses that are notified, and the deliveries to each.

create table webhook_targets (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  chat_id uuid references chats (id) on delete cascade,
  workflow_id uuid references agent_workflows (id) on delete cascade,
  user_id uuid references users (id) on delete set null,
  url text not null,
  secret bytea,
  former_secret bytea,
  former_until timestamptz,
  failures int not null default 0,
  paused_at timestamptz,
  pause_reason text,
  version int not null default 1,
  due_at timestamptz,
  purge_at timestamptz not null default now() + interval '1 hour',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  schedule_id uuid references schedules (id) on delete cascade,
  constraint webhook_targets_owner check (num_nonnulls(chat_id, workflow_id, schedule_id) = 1)
);
comment on table webhook_targets is
  'Addresses that are told of the messages of a chat, or the ended runs of a workflow or a schedule.';
comment on column webhook_targets.user_id is 'Who has set it: it is told as long as they may set webhooks.';
comment on column webhook_targets.former_secret is 'Signs beside the secret that has replaced it, until former_until.';
comment on column webhook_targets.failures is 'Deliveries in a row that were given up.';
comment on column webhook_targets.version is 'Counts what is to be told: an older one is no reason to rest.';
comment on column webhook_targets.due_at is
  'When its workflow has something to do; null while there is nothing.';
comment on column webhook_targets.purge_at is 'When housekeeping removes deliveries that were kept long enough.';
create unique index webhook_targets_chat on webhook_targets (chat_id) where chat_id is not null;
create unique index webhook_targets_workflow on webhook_targets (workflow_id) where workflow_id is not null;
create index webhook_targets_org on webhook_targets (org_id);
create index webhook_targets_user on webhook_targets (user_id) where user_id is not null;
create index webhook_targets_due on webhook_targets (due_at) where due_at is not null;
create index webhook_targets_purge on webhook_targets (purge_at);
create unique index webhook_targets_schedule on webhook_targets (schedule_id) where schedule_id is not null;
call add_tenant_policy('webhook_targets');

create table webhook_deliveries (
  id uuid primary key,
  seq bigint generated always as identity,
  org_id uuid not null references orgs (id) on delete cascade,
  target_id uuid not null references webhook_targets (id) on delete cascade,
  message_id uuid references messages (id) on delete cascade,
  run_id uuid references workflow_runs (id) on delete cascade,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts int not null default 0,
  tries int not null default 0,
  last_status int,
  error text,
  queued_at timestamptz not null default now(),
  next_attempt_at timestamptz not null default now(),
  last_attempt_at timestamptz,
  delivered_at timestamptz,
  created_at timestamptz not null default now(),
  constraint webhook_deliveries_subject check (num_nonnulls(message_id, run_id) = 1)
);
comment on column webhook_deliveries.seq is 'The order in which a target is told.';
comment on column webhook_deliveries.attempts is 'All attempts; tries are those since it was queued last.';
create index webhook_deliveries_pending on webhook_deliveries (target_id, seq) where status = 'pending';
create index webhook_deliveries_target on webhook_deliveries (target_id, id);
create index webhook_deliveries_org on webhook_deliveries (org_id);
create index webhook_deliveries_message on webhook_deliveries (message_id) where message_id is not null;
create index webhook_deliveries_run on webhook_deliveries (run_id) where run_id is not null;
call add_tenant_policy('webhook_deliveries');
