-- Issues of projects, with their labels, their comments, and their words, to be searched. Labels are rows, because
-- row-level security keeps PostgreSQL from reading arrays by an index.

create table issues (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  project_id uuid not null references projects (id) on delete cascade,
  number int not null,
  title text not null,
  description text not null,
  status text not null default 'backlog'
    check (status in ('backlog', 'todo', 'in_progress', 'in_review', 'done', 'cancelled')),
  priority text not null check (priority in ('low', 'medium', 'high', 'urgent')),
  labels jsonb not null,
  assigned_agent_id uuid references agents (id) on delete set null,
  assigned_user_id uuid references users (id) on delete set null,
  user_id uuid references users (id) on delete set null,
  agent_id uuid references agents (id) on delete set null,
  is_foreign boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  bytes int not null generated always as (
    1000 + octet_length(title) + octet_length(description) + octet_length(labels::text)
  ) stored
);
comment on column issues.user_id is 'Who added it, or for whom the agent did.';
comment on column issues.is_foreign is 'Written where text from outside had been read, and so may repeat it.';
create unique index issues_number on issues (project_id, number);
create index issues_project on issues (project_id, id);
create index issues_status on issues (project_id, status, id);
create index issues_org on issues (org_id, id);
create index issues_assigned_agent on issues (assigned_agent_id, id);
create index issues_assigned_user on issues (assigned_user_id, id);
create index issues_user on issues (user_id);
create index issues_agent on issues (agent_id);
create index issues_open_of_agent on issues (assigned_agent_id, project_id, id)
  where status in ('backlog', 'todo', 'in_progress', 'in_review');
create index issues_open on issues (
  project_id,
  (case status when 'in_progress' then 1 when 'in_review' then 2 when 'todo' then 3 else 4 end),
  id desc
) where status in ('backlog', 'todo', 'in_progress', 'in_review');
call add_list_policy('issues');

create trigger added_bytes after insert on issues for each row execute function note_work_bytes();
create trigger changed_bytes after update on issues for each row when (old.bytes <> new.bytes)
  execute function note_work_bytes();
create trigger removed_bytes after delete on issues referencing old table as gone
  for each statement execute function note_work_bytes();

create table issue_labels (
  issue_id uuid not null references issues (id) on delete cascade,
  label text not null,
  org_id uuid not null references orgs (id) on delete cascade,
  primary key (issue_id, label)
);
create index issue_labels_label on issue_labels (org_id, label, issue_id);
call add_list_policy('issue_labels');

create table issue_comments (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  issue_id uuid not null references issues (id) on delete cascade,
  user_id uuid references users (id) on delete set null,
  agent_id uuid references agents (id) on delete set null,
  content text not null,
  is_foreign boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  bytes int not null generated always as (300 + octet_length(content)) stored
);
create index issue_comments_issue on issue_comments (issue_id, id);
create index issue_comments_org on issue_comments (org_id);
create index issue_comments_user on issue_comments (user_id);
create index issue_comments_agent on issue_comments (agent_id);
call add_tenant_policy('issue_comments');

create trigger added_bytes after insert on issue_comments for each row execute function note_work_bytes();
create trigger changed_bytes after update on issue_comments for each row when (old.bytes <> new.bytes)
  execute function note_work_bytes();
create trigger removed_bytes after delete on issue_comments referencing old table as gone
  for each statement execute function note_work_bytes();

create table issue_words (
  issue_id uuid primary key references issues (id) on delete cascade,
  org_id uuid not null,
  words tsvector not null
);
comment on column issue_words.words is 'Each word begins with a key of the organization.';
create index issue_words_words on issue_words using gin (words) with (fastupdate = off);
call add_search_policy('issue_words');
