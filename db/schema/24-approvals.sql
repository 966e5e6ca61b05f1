-- Calls of tools and steps of workflows that wait for a person's decision, and questions that wait for an answer.

create table approvals (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  chat_id uuid not null references chats (id) on delete cascade,
  turn_id uuid references turns (id) on delete cascade,
  root_turn_id uuid references turns (id) on delete cascade,
  call_id uuid references tool_calls (id) on delete cascade,
  status text not null default 'pending'
    check (status in ('pending', 'approved', 'answered', 'denied', 'expired', 'cancelled', 'outdated')),
  requested_at timestamptz not null default now(),
  expires_at timestamptz not null,
  decided_by uuid references users (id) on delete set null,
  decided_at timestamptz,
  note text,
  edited_arguments json,
  parameters jsonb,
  run_id uuid references workflow_runs (id) on delete cascade,
  run_step smallint,
  agent_id uuid references agents (id) on delete cascade,
  prompt text,
  -- 0 for approvals of calls, whose content is counted with the messages.
  bytes int not null generated always as (
    case when run_id is null then 0 else 500 + octet_length(prompt) + coalesce(octet_length(note), 0)
      + coalesce(octet_length(edited_arguments::text), 0) + octet_length(votes::text) end
  ) stored,
  details jsonb not null default '[]',
  digest text,
  asked_user_id uuid references users (id) on delete set null,
  asked_role text check (asked_role in ('member', 'admin', 'owner')),
  default_answer text,
  answer text,
  quorum int not null default 1,
  votes jsonb not null default '[]',
  remind_at timestamptz,
  escalate_at timestamptz,
  escalated_at timestamptz,
  escalated_user_id uuid references users (id) on delete set null,
  escalated_role text check (escalated_role in ('member', 'admin', 'owner')),
  constraint approvals_subject check (
    num_nonnulls(turn_id, root_turn_id, call_id) = 3 and num_nonnulls(run_id, run_step, agent_id, prompt) = 0
    or num_nonnulls(turn_id, root_turn_id, call_id) = 0 and num_nonnulls(run_id, run_step, agent_id, prompt) = 4
  )
);
comment on column approvals.root_turn_id is 'The turn at the root of the tree that the turn of the call belongs to.';
comment on column approvals.parameters is 'The JSON Schema by which edited arguments are checked, while it is pending.';
comment on column approvals.run_id is 'The run whose step waits; null for a call of a tool.';
comment on column approvals.agent_id is
  'The agent of the step; null for a call, which is made by the agent of the chat.';
comment on column approvals.prompt is 'What is sent when the step is approved.';
comment on column approvals.details is 'What a person is shown of the call beside its arguments: labels and values.';
comment on column approvals.digest is 'The digest of what decides what the call does beside its arguments.';
comment on column approvals.asked_user_id is
  'Who may answer a question; others may when there is a role instead. Both are null for what is no question.';
comment on column approvals.asked_role is 'The role whose holders, and those of higher ones, may answer.';
comment on column approvals.default_answer is 'The answer when nobody gives one in time; null for what is no question.';
comment on column approvals.quorum is 'How many people have to approve it; 1 for a question.';
comment on column approvals.votes is 'Who has approved or denied it, when and with which note, in this order.';
comment on column approvals.remind_at is 'When those who have to decide are reminded; null when they were, or are not to be.';
comment on column approvals.escalate_at is 'When it is escalated; null when it was, or is not to be.';
comment on column approvals.escalated_user_id is
  'To whom it was escalated: they decide, too. Those of a role do when there is one instead.';
comment on column approvals.escalated_role is 'The role to whose holders, and those of higher ones, it was escalated.';
create index approvals_org on approvals (org_id, id);
create index approvals_pending on approvals (org_id, id) where status = 'pending';
create index approvals_chat on approvals (chat_id, id);
create index approvals_turn on approvals (turn_id);
create index approvals_root on approvals (root_turn_id);
create index approvals_due on approvals (expires_at) where status = 'pending';
create index approvals_decider on approvals (decided_by) where decided_by is not null;
create unique index approvals_run on approvals (run_id, run_step) where run_id is not null;
create index approvals_run_chat on approvals (chat_id, id) where run_id is not null;
create index approvals_asked on approvals (asked_user_id) where asked_user_id is not null;
create index approvals_escalated on approvals (escalated_user_id) where escalated_user_id is not null;
create index approvals_agent on approvals (agent_id) where agent_id is not null;
create index approvals_call on approvals (call_id);
create unique index approvals_current on approvals (call_id) where status <> 'outdated';
call add_list_policy('approvals');

create trigger added_bytes after insert on approvals for each row when (new.bytes > 0)
  execute function note_work_bytes();
create trigger changed_bytes after update on approvals for each row when (old.bytes <> new.bytes)
  execute function note_work_bytes();
create trigger removed_bytes after delete on approvals referencing old table as gone
  for each statement execute function note_work_bytes();
