-- Turns: an agent's work on one message, or on one task. A worker runs it step by step: a model call, then the tool
-- calls of its reply. Each step is stored before the next one begins, so that another worker can continue.

create table turns (
  id uuid primary key,
  seq bigint not null generated always as identity,
  org_id uuid not null references orgs (id) on delete cascade,
  chat_id uuid not null references chats (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  status text not null default 'queued' check (status in ('queued', 'running', 'completed', 'interrupted', 'failed')),
  attempt int not null default 0,
  interrupt_requested_at timestamptz,
  next_wake_at timestamptz not null default now() + interval '2 seconds',
  wake_count int not null default 0,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  -- The last step that was begun (-1: none), and how often. A step may be stored only while attempt and step are still
  -- those that it was begun with.
  step int not null default -1,
  step_tries int not null default 0,
  waiting_until timestamptz,
  waiting_since timestamptz,
  deadline_at timestamptz,
  parent_turn_id uuid references turns (id) on delete cascade,
  ancestor_ids uuid[] not null default '{}',
  -- The number of a running turn among those of its user: 1 and up are its own, 0 is the slot of the turn above it,
  -- which waits for it. It is free when the turn has ended, for whatever reason.
  slot int check (slot >= 0),
  is_waiting_for_slot boolean not null default false,
  -- A worker runs a step of the turn, or its calls. False while it waits for a provider, a slot or its sub-agents.
  is_at_work boolean not null default false,
  -- Too many turns were running when it wanted to continue.
  is_waiting_for_work_slot boolean not null default false,
  -- For a root turn: the sub-agents below it at all levels.
  sub_agent_count int not null default 0,
  runner uuid,
  lease_until timestamptz,
  -- It was woken while it ran, so it checks again before it waits.
  woken_since_claim boolean not null default false,
  -- References tasks, as run_id does workflow_runs: both tables come later.
  task_id uuid,
  is_report boolean not null default false,
  -- No foreign key: both turns go with the chat at the root, and each deleted turn would be looked up.
  reported_turn_id uuid,
  run_id uuid,
  run_step smallint,
  run_attempt smallint,
  trace jsonb not null default '[]',
  faults smallint not null default 0,
  unfinished_reads smallint not null default 0,
  traceparent text
);
comment on column turns.runner is 'The process that runs the turn, or ran it last.';
comment on column turns.lease_until is 'Until then no other process takes the turn over; null when none runs it.';
comment on column turns.task_id is 'The task that the turn is an attempt at, or whose result it reports.';
comment on column turns.reported_turn_id is 'The attempt at the task whose result the turn tells.';
comment on column turns.run_id is 'The run of a workflow that the turn is an attempt at a step of.';
comment on column turns.trace is 'The attempts at the current step, in order: a list of AttemptRecord.';
comment on column turns.faults is 'Attempts that have ended with an unexpected error since the last stored step.';
comment on column turns.traceparent is
  'The span that the turn was stored in, as W3C Trace Context writes it; null where that was not traced.';
comment on column turns.unfinished_reads is
  'Reads of the long conversation that were begun and never done with: the process ended meanwhile, perhaps of them.';
create unique index turns_chat on turns (chat_id, seq);
create index turns_open on turns (chat_id, seq) where status in ('queued', 'running');
create index turns_ended on turns (ended_at) where ended_at is not null;
create index turns_org on turns (org_id);
create index turns_user on turns (user_id);
create index turns_waiting on turns (org_id) where waiting_until is not null;
create index turns_parent on turns (parent_turn_id) where parent_turn_id is not null;
create unique index turns_slot on turns (org_id, user_id, slot) where slot > 0 and status = 'running';
create unique index turns_lent_slot on turns (parent_turn_id) where slot = 0 and status = 'running';
create index turns_waiting_for_slot on turns (org_id, user_id, seq) where is_waiting_for_slot and status = 'running';
create index turns_at_work_user on turns (user_id) where is_at_work and status = 'running';
create index turns_at_work_org on turns (org_id) where is_at_work and status = 'running';
create index turns_waiting_for_work_slot on turns (org_id, user_id, seq) where is_waiting_for_work_slot and status = 'running';
create index turns_waiting_for_work_slot_user on turns (user_id) where is_waiting_for_work_slot and status = 'running';
create index turns_open_user on turns (user_id) where status in ('queued', 'running') and parent_turn_id is null;
create index turns_open_org on turns (org_id) where status in ('queued', 'running') and parent_turn_id is null;
-- Sub-agents are woken by the turn above them. While few turns are open, all indexes on them look equally cheap, and a
-- plan made then would read every open turn to find those of one chat; so this index contains different turns.
create index turns_due on turns (next_wake_at) where status in ('queued', 'running') and parent_turn_id is null;
create index turns_stopping on turns (interrupt_requested_at)
  where status in ('queued', 'running') and interrupt_requested_at is not null;
create index turns_task on turns (task_id, seq) where task_id is not null;
create index turns_open_sub_agents on turns (org_id)
  where status in ('queued', 'running') and parent_turn_id is not null;
create unique index turns_run on turns (run_id, run_step, run_attempt) where run_id is not null;
call add_tenant_policy('turns');

-- The replies of the model, each stored with the tool calls that it requests.
create table model_steps (
  turn_id uuid not null references turns (id) on delete cascade,
  step int not null,
  org_id uuid not null references orgs (id) on delete cascade,
  text text not null,
  raw_text text,
  state jsonb,
  created_at timestamptz not null default now(),
  trace jsonb not null default '[]',
  primary key (turn_id, step)
);
comment on column model_steps.trace is 'The attempts at a step that was stored, the last of which made its reply.';
create index model_steps_org on model_steps (org_id);
call add_tenant_policy('model_steps');

create table tool_calls (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  turn_id uuid not null references turns (id) on delete cascade,
  step int not null,
  position int not null,
  name text not null,
  label text not null,
  -- As they were written: their order and their numbers are sent back to the model.
  arguments json not null,
  effect text not null check (effect in ('read', 'keyed', 'once', 'agent')),
  status text not null check (status in ('planned', 'running', 'success', 'error', 'unknown', 'interrupted')),
  attempt int not null default 0,
  result text,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  -- Attempts that ended without a result, so that a call that kills its process is not repeated for ever.
  tries int not null default 0,
  -- The user against whose bound the running call counts.
  holder_id uuid,
  not_before timestamptz,
  remote_task text
);
comment on column tool_calls.not_before is
  'When it may be begun again: its service asked to wait. Null when it need not wait.';
comment on column tool_calls.remote_task is
  'The task that it has given an agent of another platform, by its id there; empty from the sending until that is known.';
create unique index tool_calls_place on tool_calls (turn_id, step, position);
create index tool_calls_open on tool_calls (turn_id) where status in ('planned', 'running');
create index tool_calls_org on tool_calls (org_id);
-- Nearly no rows: those whose process died in the middle.
create index tool_calls_broken on tool_calls (turn_id, step) where tries > 1;
create index tool_calls_holder on tool_calls (holder_id) where holder_id is not null and status = 'running';
create index tool_calls_held_org on tool_calls (org_id) where holder_id is not null and status = 'running';
call add_tenant_policy('tool_calls');

-- What is streamed of an answer. Unlogged: it may be lost when the server crashes; the answer itself is stored durably
-- in messages.
create unlogged table turn_events (
  turn_id uuid not null,
  attempt int not null,
  seq int not null,
  org_id uuid not null,
  event jsonb not null,
  created_at timestamptz not null default now(),
  primary key (turn_id, attempt, seq)
);
call add_tenant_policy('turn_events');

-- How much of a bound is left. A user's bound counts across all organizations, and an organization's across all of its
-- owner's; a tenant connection sees one. So these functions read all of them, and return no more than a number or a
-- boolean. They exist for statements that need this scope themselves; a function cannot set a setting for its own
-- duration, so each restores the scope by itself. A bound of 0 means none.
create function has_free_work_slot(of_user uuid, of_org uuid, own_seq bigint, user_bound int, org_bound int)
  returns boolean language plpgsql stable as $$
declare
  scope text := coalesce(current_setting('app.scope', true), '');
  answer boolean;
begin
  perform set_config('app.scope', 'system', true);
  answer := (select (user_bound = 0 or user_bound > (
      select count(*) from turns where user_id = of_user and is_at_work and status = 'running'
    )) and (org_bound = 0 or org_bound > (
      select count(*) from turns where org_id in (
        select of_org union
        select owned.org_id from memberships o
          join memberships owned on owned.user_id = o.user_id and owned.role = 'owner'
        where o.org_id = of_org and o.role = 'owner'
      ) and is_at_work and status = 'running'
    )) and not exists (
      select from turns where org_id = of_org and user_id = of_user and seq < own_seq and is_waiting_for_work_slot
        and status = 'running'
    ));
  perform set_config('app.scope', scope, true);
  return answer;
end $$;

create function is_work_slot_wanted(of_user uuid, of_org uuid) returns boolean language plpgsql stable as $$
declare
  scope text := coalesce(current_setting('app.scope', true), '');
  answer boolean;
begin
  perform set_config('app.scope', 'system', true);
  answer := (select exists (
      select from turns where org_id in (
        select of_org union
        select owned.org_id from memberships o
          join memberships owned on owned.user_id = o.user_id and owned.role = 'owner'
        where o.org_id = of_org and o.role = 'owner'
      ) and is_waiting_for_work_slot and status = 'running')
    or exists (select from turns where user_id = of_user and is_waiting_for_work_slot and status = 'running'));
  perform set_config('app.scope', scope, true);
  return answer;
end $$;

-- Of two statements that lock a row, the second one sees the new version of it, and nothing else that the first has done.
-- Where the rest has to match, it is run again.
create function require_unchanged(is_unchanged boolean) returns boolean language plpgsql as $$
begin
  if not is_unchanged then
    raise exception 'the row was changed while it was waited for' using errcode = 'serialization_failure';
  end if;
  return true;
end $$;

create function has_free_call_slot(of_user uuid, of_org uuid, user_bound int, org_bound int)
  returns boolean language plpgsql stable as $$
declare
  scope text := coalesce(current_setting('app.scope', true), '');
  answer boolean;
begin
  perform set_config('app.scope', 'system', true);
  answer := (select (user_bound = 0 or user_bound > (
      select count(*) from tool_calls where holder_id = of_user and status = 'running'
    )) and (org_bound = 0 or org_bound > (
      select count(*) from tool_calls where org_id in (
        select of_org union
        select owned.org_id from memberships o
          join memberships owned on owned.user_id = o.user_id and owned.role = 'owner'
        where o.org_id = of_org and o.role = 'owner'
      ) and holder_id is not null and status = 'running'
    )));
  perform set_config('app.scope', scope, true);
  return answer;
end $$;

create function open_turns_of(of_user uuid, at_most int) returns bigint language plpgsql stable as $$
declare
  scope text := coalesce(current_setting('app.scope', true), '');
  answer bigint;
begin
  perform set_config('app.scope', 'system', true);
  answer := (select (select count(*) from (
      select from turns where user_id = of_user and status in ('queued', 'running') and parent_turn_id is null
      limit at_most
    ) open));
  perform set_config('app.scope', scope, true);
  return answer;
end $$;

create function open_turns_of_owner(of_org uuid, at_most int) returns bigint language plpgsql stable as $$
declare
  scope text := coalesce(current_setting('app.scope', true), '');
  answer bigint;
begin
  perform set_config('app.scope', 'system', true);
  answer := (select (select count(*) from (
      select from turns where org_id in (
        select of_org union
        select owned.org_id from memberships o
          join memberships owned on owned.user_id = o.user_id and owned.role = 'owner'
        where o.org_id = of_org and o.role = 'owner'
      ) and status in ('queued', 'running') and parent_turn_id is null
      limit at_most
    ) open));
  perform set_config('app.scope', scope, true);
  return answer;
end $$;
