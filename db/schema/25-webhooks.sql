-- Webhooks and their deliveries, and the destinations of an organization, to which reports are delivered. Each
-- destination has a webhook target with its queue of deliveries, and the URL and the secret of one of the kind `webhook`.
-- So has each thread of a channel, for the answers in it.

create table destinations (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  owner_id uuid references users (id) on delete set null,
  name text not null,
  kind text not null,
  integration_id uuid references integrations (id) on delete set null,
  config jsonb not null,
  quiet_hours jsonb,
  digest_minutes int,
  checked_at timestamptz,
  error text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table destinations is 'Where reports of the organization are delivered: mailboxes, channels, URLs.';
comment on column destinations.owner_id is 'Who added it; null once the account is deleted.';
comment on column destinations.integration_id is 'Whose credentials it uses; null if it needs none or the integration was deleted.';
comment on column destinations.quiet_hours is 'When nothing is sent to it; null for no such time.';
comment on column destinations.digest_minutes is 'For how long reports are collected into one message; null when each is sent by itself.';
comment on column destinations.checked_at is 'When a test message was last sent.';
comment on column destinations.error is 'Why the last test message was not accepted; null if it was.';
create index destinations_org on destinations (org_id, id);
create unique index destinations_name on destinations (org_id, lower(name));
create index destinations_owner on destinations (owner_id) where owner_id is not null;
create index destinations_integration on destinations (integration_id) where integration_id is not null;
call add_tenant_policy('destinations');

create table webhook_targets (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  chat_id uuid references chats (id) on delete cascade,
  workflow_id uuid references agent_workflows (id) on delete cascade,
  user_id uuid references users (id) on delete set null,
  url text,
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
  destination_id uuid references destinations (id) on delete cascade,
  thread_chat_id uuid references channel_threads (chat_id) on delete cascade,
  member_id uuid references users (id) on delete cascade,
  channel_id uuid references channels (id) on delete cascade,
  push_subscription_id uuid references push_subscriptions (id) on delete cascade,
  turn_id uuid references turns (id) on delete cascade,
  config_id text,
  protocol_version text,
  turn_state text,
  constraint webhook_targets_owner
    check (num_nonnulls(chat_id, workflow_id, schedule_id, destination_id, thread_chat_id, member_id, turn_id) = 1),
  constraint webhook_targets_turn check (num_nulls(turn_id, config_id, protocol_version, turn_state) in (0, 4)),
  constraint webhook_targets_way
    check (num_nonnulls(channel_id, push_subscription_id) <= num_nonnulls(member_id)),
  constraint webhook_targets_address check (num_nonnulls(url, destination_id, thread_chat_id, member_id) > 0)
);
comment on table webhook_targets is
  'URLs that are notified of the messages of a chat, the ended runs of a workflow or a schedule or the states of a turn; destinations; threads of channels; and members.';
comment on column webhook_targets.url is
  'Null for members, for a thread of a channel, and for a destination of another kind than webhook.';
comment on column webhook_targets.thread_chat_id is 'The chat of the thread that answers are posted to.';
comment on column webhook_targets.member_id is 'Who is told what waits for their decision.';
comment on column webhook_targets.channel_id is
  'The channel by which a member is told; null for mails and browsers.';
comment on column webhook_targets.push_subscription_id is
  'The browser in which a member is told; null for mails and channels.';
comment on column webhook_targets.turn_id is 'The turn whose states a client is notified of, as those of an A2A task.';
comment on column webhook_targets.config_id is 'The id of the push notification config, chosen by the client.';
comment on column webhook_targets.protocol_version is 'The version of the A2A protocol in which a turn is sent.';
comment on column webhook_targets.turn_state is 'The state of the turn that was last queued for delivery; empty at first.';
comment on column webhook_targets.user_id is 'Who set it: deliveries go on as long as they may set webhooks.';
comment on column webhook_targets.former_secret is 'Signs beside the secret that has replaced it, until former_until.';
comment on column webhook_targets.failures is 'Consecutive deliveries that were given up.';
comment on column webhook_targets.version is
  'Incremented when a delivery is added, so that a worker that saw none before does not clear due_at.';
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
create unique index webhook_targets_member on webhook_targets (org_id, member_id, channel_id, push_subscription_id)
  nulls not distinct where member_id is not null;
create index webhook_targets_channel on webhook_targets (channel_id) where channel_id is not null;
create index webhook_targets_push on webhook_targets (push_subscription_id) where push_subscription_id is not null;
create index webhook_targets_member_user on webhook_targets (member_id) where member_id is not null;
create unique index webhook_targets_destination on webhook_targets (destination_id) where destination_id is not null;
create unique index webhook_targets_thread on webhook_targets (thread_chat_id) where thread_chat_id is not null;
create unique index webhook_targets_turn on webhook_targets (turn_id, config_id) where turn_id is not null;
call add_tenant_policy('webhook_targets');

create table webhook_deliveries (
  id uuid primary key,
  seq bigint generated always as identity,
  org_id uuid not null references orgs (id) on delete cascade,
  target_id uuid not null references webhook_targets (id) on delete cascade,
  message_id uuid references messages (id) on delete cascade,
  run_id uuid references workflow_runs (id) on delete cascade,
  schedule_id uuid references schedules (id) on delete cascade,
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
  report json,
  chat_id uuid references chats (id) on delete cascade,
  task_id uuid references tasks (id) on delete cascade,
  attempt_log jsonb not null default '[]',
  approval_id uuid references approvals (id) on delete cascade,
  is_update boolean not null default false,
  is_reminder boolean not null default false,
  turn_id uuid references turns (id) on delete cascade,
  dismissed_at timestamptz,
  constraint webhook_deliveries_subject check (num_nonnulls(message_id, run_id, schedule_id, approval_id, turn_id) = 1)
);
comment on column webhook_deliveries.seq is 'The order of the deliveries of a target.';
comment on column webhook_deliveries.schedule_id is 'The schedule that has not run, of which `report` says why.';
comment on column webhook_deliveries.chat_id is 'The chat of whose turn a report tells; null for other deliveries.';
comment on column webhook_deliveries.task_id is 'The task of an attempt at which a report tells; null for other deliveries.';
comment on column webhook_deliveries.approval_id is 'What a member is to decide about.';
comment on column webhook_deliveries.is_update is
  'Whether the message about an approval is to say how it stands now.';
comment on column webhook_deliveries.is_reminder is 'Whether the member was told of it before.';
comment on column webhook_deliveries.turn_id is 'The turn whose state is sent, as of the time of the attempt.';
comment on column webhook_deliveries.dismissed_at is
  'When its user took an undelivered report off their list; null for one that is listed.';
comment on column webhook_deliveries.attempts is 'All attempts; tries are those since it was queued last.';
comment on column webhook_deliveries.attempt_log is
  'The newest attempts, oldest first: when each ended, the status of the answer, and what went wrong.';
comment on column webhook_deliveries.report is
  'The subject, the body and the files of a report to a destination, and who is to be allowed to send it; null for other targets.';
create index webhook_deliveries_pending on webhook_deliveries (target_id, seq) where status = 'pending';
create index webhook_deliveries_target on webhook_deliveries (target_id, id);
create index webhook_deliveries_org on webhook_deliveries (org_id);
create index webhook_deliveries_message on webhook_deliveries (message_id) where message_id is not null;
create index webhook_deliveries_run on webhook_deliveries (run_id) where run_id is not null;
create index webhook_deliveries_chat on webhook_deliveries (chat_id, seq) where chat_id is not null;
create index webhook_deliveries_task on webhook_deliveries (task_id, seq) where task_id is not null;
create index webhook_deliveries_turn on webhook_deliveries (turn_id) where turn_id is not null;
create index webhook_deliveries_schedule on webhook_deliveries (schedule_id) where schedule_id is not null;
create unique index webhook_deliveries_approval on webhook_deliveries (approval_id, target_id, is_update, is_reminder)
  where approval_id is not null;
create unique index webhook_deliveries_report on webhook_deliveries (target_id, coalesce(run_id, schedule_id, message_id),
  coalesce(report #>> '{missed,at}', ''), coalesce(report #>> '{undelivered,name}', '')) where report is not null;
create index webhook_deliveries_undelivered on webhook_deliveries (org_id, id) where report is not null and status <> 'delivered';
call add_list_policy('webhook_deliveries');

create table approval_messages (
  approval_id uuid not null references approvals (id) on delete cascade,
  target_id uuid not null references webhook_targets (id) on delete cascade,
  org_id uuid not null references orgs (id) on delete cascade,
  person text not null,
  email text,
  team text not null,
  api_url text not null,
  connection uuid not null,
  conversation text,
  message text,
  primary key (approval_id, target_id)
);
comment on table approval_messages is 'Messages of channels by which members are asked for a decision.';
comment on column approval_messages.person is 'Who is asked, as the service calls them.';
comment on column approval_messages.email is
  'The address by which they were recognized; null where the channel names them.';
comment on column approval_messages.team is 'The workspace of the service.';
comment on column approval_messages.api_url is 'The address of the service.';
comment on column approval_messages.connection is 'That of the integration which the message was posted with.';
comment on column approval_messages.conversation is 'Where the message is; null until it was posted.';
comment on column approval_messages.message is 'Its id in the service; null until it was posted.';
create index approval_messages_org on approval_messages (org_id);
create index approval_messages_target on approval_messages (target_id);
call add_tenant_policy('approval_messages');

-- Updates the messages about an approval when it ends, and when one of several required people approves it. Targets are
-- locked in the order in which members are notified.
create function update_approval_messages() returns trigger language plpgsql as $$
begin
  with changed as (
    select m.approval_id, m.target_id, m.org_id
    from approval_messages m join decided d on d.id = m.approval_id join former f on f.id = d.id
    where f.status = 'pending' and (d.status <> 'pending' or d.votes <> f.votes)
  ),
  targets as (
    select w.id from webhook_targets w where w.id in (select target_id from changed)
    order by w.member_id, w.channel_id for no key update
  ),
  due as (
    update webhook_targets w set version = w.version + 1, due_at = case when w.paused_at is null then now() end
    from targets where w.id = targets.id
  )
  insert into webhook_deliveries (id, org_id, target_id, approval_id, is_update)
    select gen_random_uuid(), org_id, target_id, approval_id, true from changed
    on conflict (approval_id, target_id, is_update, is_reminder) where approval_id is not null
    do update set status = 'pending', queued_at = now(), next_attempt_at = now(), tries = 0;
  return null;
end $$;
create trigger approval_ended after update on approvals referencing old table as former new table as decided
  for each statement execute function update_approval_messages();

create table run_destinations (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  workflow_id uuid references agent_workflows (id) on delete cascade,
  schedule_id uuid references schedules (id) on delete cascade,
  chat_id uuid references chats (id) on delete cascade,
  task_id uuid references tasks (id) on delete cascade,
  destination_id uuid not null references destinations (id) on delete cascade,
  user_id uuid references users (id) on delete set null,
  position int not null,
  send_when text not null check (send_when in ('success', 'failure', 'always', 'undelivered', 'missed')),
  subject text,
  body text,
  files jsonb not null,
  check (num_nonnulls(workflow_id, schedule_id, chat_id, task_id) = 1)
);
comment on table run_destinations is
  'What is reported to a destination, and how: runs of a workflow or a schedule, turns of a chat, attempts at a task.';
comment on column run_destinations.user_id is 'Who set it: reports are sent as long as they may use destinations.';
comment on column run_destinations.send_when is
  'What is reported: runs by how they ended, reports that were not delivered elsewhere, or that there was no run.';
comment on column run_destinations.files is 'Globs of the files of the workspace that go with the report.';
create index run_destinations_org on run_destinations (org_id);
create index run_destinations_workflow on run_destinations (workflow_id, position) where workflow_id is not null;
create index run_destinations_schedule on run_destinations (schedule_id, position) where schedule_id is not null;
create index run_destinations_chat on run_destinations (chat_id, position) where chat_id is not null;
create index run_destinations_task on run_destinations (task_id, position) where task_id is not null;
create index run_destinations_destination on run_destinations (destination_id);
create index run_destinations_user on run_destinations (user_id) where user_id is not null;
call add_tenant_policy('run_destinations');
