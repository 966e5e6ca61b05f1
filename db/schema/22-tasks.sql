-- Tasks, which people and agents give to agents, and which agents work on in turns of their own.

create table tasks (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  chat_id uuid not null references chats (id) on delete cascade,
  title text not null,
  description text not null default '',
  assigned_agent_id uuid references agents (id) on delete set null,
  priority text not null default 'medium' check (priority in ('low', 'medium', 'high', 'urgent')),
  status text not null default 'pending'
    check (status in ('pending', 'in_progress', 'completed', 'failed', 'interrupted', 'cancelled')),
  parent_turn_id uuid references turns (id) on delete cascade,
  call_id uuid references tool_calls (id) on delete cascade,
  sub_chat_id uuid references chats (id) on delete set null,
  output text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  created_by uuid references users (id) on delete set null,
  error text,
  attempts int not null default 0,
  due_at timestamptz,
  waits_for_room boolean not null default false,
  bytes int not null generated always as (
    600 + octet_length(title) + octet_length(description) + coalesce(octet_length(output), 0)
      + coalesce(octet_length(error), 0)
  ) stored,
  position text collate "C" not null,
  issue_id uuid references issues (id) on delete set null,
  parent_task_id uuid references tasks (id) on delete set null,
  is_foreign boolean not null default false
);
comment on column tasks.due_at is 'When its agent should have begun; null for a task without one.';
comment on column tasks.waits_for_room is
  'There was no room for another open turn of its user or organization: the end of a turn has it tried again.';
comment on column tasks.position is 'A fractional index: the order on boards.';
comment on column tasks.issue_id is 'The issue whose comments are told the result.';
comment on column tasks.is_foreign is 'Written where text from outside had been read, and so may repeat it.';
create index tasks_chat on tasks (chat_id, id);
create unique index tasks_call on tasks (call_id) where call_id is not null;
create index tasks_parent_turn on tasks (parent_turn_id) where parent_turn_id is not null;
create index tasks_sub_chat on tasks (sub_chat_id) where sub_chat_id is not null;
create index tasks_agent on tasks (assigned_agent_id) where assigned_agent_id is not null;
create index tasks_org on tasks (org_id);
create index tasks_due on tasks (due_at) where status = 'pending' and due_at is not null;
create index tasks_without_room on tasks (org_id, created_by, id)
  where status = 'pending' and due_at is not null and waits_for_room;
create index tasks_creator on tasks (created_by, id) where created_by is not null;
-- Those that were completed a moment ago, for which others may wait.
create index tasks_completed on tasks (ended_at) where status = 'completed';
create index tasks_position on tasks (chat_id, position);
create index tasks_changed on tasks (updated_at);
create index tasks_issue on tasks (issue_id, id) where issue_id is not null;
create index tasks_parent_task on tasks (parent_task_id, id) where parent_task_id is not null;
create index tasks_open on tasks (chat_id, id) where status in ('pending', 'in_progress', 'failed');
call add_list_policy('tasks');

alter table turns add constraint turns_task_id_fkey foreign key (task_id) references tasks (id) on delete set null;

create trigger added_bytes after insert on tasks for each row execute function note_work_bytes();
create trigger changed_bytes after update on tasks for each row when (old.bytes <> new.bytes)
  execute function note_work_bytes();
create trigger removed_bytes after delete on tasks referencing old table as gone
  for each statement execute function note_work_bytes();

-- Tasks that begin only once others are completed.
create table task_dependencies (
  task_id uuid not null references tasks (id) on delete cascade,
  needs_id uuid not null references tasks (id) on delete cascade,
  org_id uuid not null references orgs (id) on delete cascade,
  primary key (task_id, needs_id)
);
create index task_dependencies_needs on task_dependencies (needs_id);
create index task_dependencies_org on task_dependencies (org_id);
call add_tenant_policy('task_dependencies');

-- Reads the newest tasks of a project ($1) that are open or have failed, for an agent ($2) and a user ($3): in the 6
-- chats that were used last, of those that are the user's or shared. It is a function because of its settings: the
-- planner, which does not know how large a project is, would read and sort all of its chats, where the end of an index
-- suffices.
create function project_tasks(uuid, uuid, uuid) returns json language sql stable
  set enable_bitmapscan = off set enable_sort = off set enable_seqscan = off as $$
select coalesce(json_agg(json_build_object('title', k.title, 'status', k.status, 'isOwn', k.is_own,
    'ownerId', k.user_id, 'isShared', k.is_shared) order by k.id desc), '[]')
from (
  select k.id, left(k.title, 200) as title, k.status, c.user_id, c.is_shared,
    coalesce(k.assigned_agent_id = $2, false) as is_own
  from (
    select * from (
      select c.id, c.user_id, c.updated_at, not c.is_private as is_shared from chats c
      where c.project_id = $1 and c.deleted_at is null order by c.updated_at desc limit 16
    ) used where used.user_id = $3 or used.is_shared order by used.updated_at desc limit 6
  ) c cross join lateral (
    select o.id, o.title, o.status, o.assigned_agent_id from tasks o
    where o.chat_id = c.id and o.status in ('pending', 'in_progress', 'failed') order by o.id desc limit 6
  ) k
  order by k.id desc limit 12
) k
$$;
