-- Workflows, whose steps agents run one after the other; schedules, which start their runs or runs of their own; and
-- the runs of both.

create table agent_workflows (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  owner_id uuid references users (id) on delete set null,
  agent_id uuid not null references agents (id) on delete cascade,
  name text not null,
  description text not null,
  trigger_type text not null,
  prompt_template text not null,
  steps jsonb not null,
  is_active boolean not null,
  webhook_secret bytea,
  max_concurrent_runs int,
  time_limit_minutes int,
  keep_runs_days int not null,
  purge_at timestamptz not null default now() + interval '1 hour',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on column agent_workflows.owner_id is 'In whose name its webhook starts runs: who last changed what they do.';
comment on column agent_workflows.max_concurrent_runs is 'Further runs wait in order; null for no bound.';
comment on column agent_workflows.purge_at is 'When housekeeping removes runs that were kept long enough.';
create index agent_workflows_org on agent_workflows (org_id, id);
create index agent_workflows_owner on agent_workflows (owner_id) where owner_id is not null;
create index agent_workflows_agent on agent_workflows (agent_id);
create index agent_workflows_purge on agent_workflows (purge_at);
call add_list_policy('agent_workflows');

create table schedules (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  workflow_id uuid unique references agent_workflows (id) on delete cascade,
  owner_id uuid references users (id) on delete set null,
  agent_id uuid references agents (id) on delete cascade,
  name text not null,
  description text,
  prompt text not null,
  cron_expr text,
  interval_minutes int,
  timezone text not null,
  overlap text not null check (overlap in ('skip', 'buffer_one', 'allow_all', 'cancel_other')),
  catchup_minutes int not null,
  jitter_seconds int not null,
  pause_on_failure boolean not null,
  start_at timestamptz,
  end_at timestamptz,
  max_runs int,
  keep_runs_days int not null,
  runs_count int not null default 0,
  is_active boolean not null,
  pause_reason text,
  next_run_at timestamptz,
  version int not null default 1,
  applied_version int not null default 0,
  purge_at timestamptz not null default now() + interval '1 hour',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  is_foreign boolean not null default false,
  check ((cron_expr is null) <> (interval_minutes is null)),
  check (is_active = (next_run_at is not null)),
  constraint schedules_agent_at_work check (agent_id is not null or not is_active)
);
comment on column schedules.workflow_id is 'The workflow whose times it holds; null for a schedule of its own.';
comment on column schedules.owner_id is 'In whose name it starts runs: who last changed what they do, or when.';
comment on column schedules.agent_id is 'Null while nobody has said which: then it starts no runs.';
comment on column schedules.runs_count is 'Slots that have started a run, for max_runs.';
comment on column schedules.pause_reason is
  'Why it stopped by itself; null while it is active, and when a person stopped it.';
comment on column schedules.next_run_at is 'The next slot; null while it is not active.';
comment on column schedules.version is 'Grows with each change of what its Temporal Schedule is made of.';
comment on column schedules.applied_version is 'The version that its Temporal Schedule was last made of; 0 for none.';
comment on column schedules.purge_at is 'When housekeeping removes runs that were kept long enough.';
comment on column schedules.is_foreign is
  'An agent has written the prompt in a chat that had read text from outside, so that it may repeat such text.';
create index schedules_org on schedules (org_id, id);
create index schedules_owner on schedules (owner_id) where owner_id is not null;
create index schedules_agent on schedules (agent_id);
create index schedules_next on schedules (next_run_at) where next_run_at is not null;
create index schedules_unapplied on schedules (next_run_at) where applied_version <> version;
create index schedules_purge on schedules (purge_at) where workflow_id is null;
call add_list_policy('schedules');

create function count_timing_change() returns trigger language plpgsql as $$
begin
  new.version := old.version + 1;
  return new;
end
$$;
create trigger changed_timing before update on schedules for each row
  when ((old.cron_expr, old.interval_minutes, old.timezone, old.start_at, old.end_at, old.catchup_minutes,
      old.jitter_seconds, old.is_active)
    is distinct from (new.cron_expr, new.interval_minutes, new.timezone, new.start_at, new.end_at, new.catchup_minutes,
      new.jitter_seconds, new.is_active))
  execute function count_timing_change();

create table workflow_runs (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  workflow_id uuid references agent_workflows (id) on delete cascade,
  chat_id uuid references chats (id) on delete set null,
  user_id uuid not null references users (id) on delete cascade,
  triggered_by text not null,
  delivery_key text,
  status text not null check (status in ('queued', 'running', 'completed', 'failed', 'interrupted')),
  version int not null default 1,
  seen_version int not null default 0,
  waits_for_room boolean not null default false,
  variables json not null,
  missing_variables jsonb not null,
  steps jsonb not null,
  time_limit_minutes int,
  prompt text not null,
  output text,
  error text,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  interrupt_requested_at timestamptz,
  deadline_at timestamptz,
  started_at timestamptz,
  completed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  bytes int not null generated always as (
    1000 + octet_length(variables::text) + octet_length(missing_variables::text) + octet_length(steps::text)
      + octet_length(prompt) + coalesce(octet_length(output), 0) + coalesce(octet_length(error), 0)
  ) stored,
  schedule_id uuid references schedules (id) on delete cascade,
  slot timestamptz,
  check (workflow_id is not null or schedule_id is not null),
  check (slot is null or schedule_id is not null)
);
comment on column workflow_runs.workflow_id is
  'The workflow that it is a run of; null for the run of a schedule of its own.';
comment on column workflow_runs.user_id is 'In whose name it runs.';
comment on column workflow_runs.delivery_key is 'What the sender calls the request: the same one starts no second run.';
comment on column workflow_runs.status is
  'queued: it waits for other runs of its workflow or schedule to end. running: it may work.';
comment on column workflow_runs.version is
  'Changes with every transition. One that was decided by an older version is not made.';
comment on column workflow_runs.seen_version is
  'The version that its Temporal workflow has seen, or that waits in the queue. It is told of a later one.';
comment on column workflow_runs.slot is 'The time of its schedule that it was started for: one run for each.';
create index workflow_runs_workflow on workflow_runs (workflow_id, id);
create unique index workflow_runs_delivery on workflow_runs (workflow_id, delivery_key) where delivery_key is not null;
create index workflow_runs_open on workflow_runs (workflow_id, id) where completed_at is null;
comment on column workflow_runs.waits_for_room is
  'Its next turn found no room among the open ones of its user or organization: the end of a turn has it tried again.';
create index workflow_runs_overdue on workflow_runs (id) where seen_version < version;
create index workflow_runs_without_room on workflow_runs (org_id, user_id, id) where completed_at is null and waits_for_room;
create index workflow_runs_ended on workflow_runs (workflow_id, completed_at) where completed_at is not null;
create index workflow_runs_chat on workflow_runs (chat_id) where chat_id is not null;
create index workflow_runs_user on workflow_runs (user_id);
create index workflow_runs_schedule on workflow_runs (schedule_id, id) where schedule_id is not null;
create unique index workflow_runs_slot on workflow_runs (schedule_id, slot) where slot is not null;
create unique index workflow_runs_schedule_delivery on workflow_runs (schedule_id, delivery_key)
  where schedule_id is not null and delivery_key is not null;
create index workflow_runs_schedule_open on workflow_runs (schedule_id, id)
  where schedule_id is not null and completed_at is null;
create index workflow_runs_schedule_ended on workflow_runs (schedule_id, completed_at)
  where schedule_id is not null and completed_at is not null;
-- The order of the list of all runs: those that have not ended first, then the newest.
create index workflow_runs_of_org on workflow_runs (org_id, (completed_at is null) desc, id desc);
call add_list_policy('workflow_runs');

create table run_signatures (
  workflow_id uuid not null,
  signature bytea not null,
  run_id uuid not null references workflow_runs (id) on delete cascade,
  org_id uuid not null references orgs (id) on delete cascade,
  primary key (workflow_id, signature)
);
comment on table run_signatures is
  'Signatures of webhook requests that have started or repeated a run: the same one starts no second run.';
create index run_signatures_run on run_signatures (run_id);
create index run_signatures_org on run_signatures (org_id);
call add_tenant_policy('run_signatures');

alter table turns add constraint turns_run_id_fkey
  foreign key (run_id) references workflow_runs (id) on delete set null;

create trigger added_bytes after insert on workflow_runs for each row execute function note_work_bytes();
create trigger changed_bytes after update on workflow_runs for each row when (old.bytes <> new.bytes)
  execute function note_work_bytes();
create trigger removed_bytes after delete on workflow_runs referencing old table as gone
  for each statement execute function note_work_bytes();
