-- The sync of a project's issues with those at its code host.

-- Syncs, each of which reads the issues of the repository.
create table project_syncs (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  project_id uuid not null references projects (id) on delete cascade,
  user_id uuid references users (id) on delete set null,
  status text not null default 'queued' check (status in ('queued', 'running', 'waiting', 'completed', 'failed')),
  position jsonb not null,
  read_until timestamptz,
  comments_until timestamptz,
  host_time timestamptz,
  created int not null default 0,
  updated int not null default 0,
  total int not null default 0,
  comments int not null default 0,
  skipped int not null default 0,
  failures int not null default 0,
  error text,
  due_at timestamptz,
  waiting_until timestamptz,
  started_at timestamptz,
  completed_at timestamptz,
  created_at timestamptz not null default now()
);
comment on column project_syncs.position is 'Where reading goes on; stored together with what was read before.';
comment on column project_syncs.read_until is 'The last change of an issue that was read.';
comment on column project_syncs.host_time is 'When it began, by the clock of the host.';
comment on column project_syncs.failures is 'How often in a row the host has failed.';
comment on column project_syncs.due_at is 'When its workflow should have gone on; null once it has ended.';
create unique index project_syncs_open on project_syncs (project_id) where status in ('queued', 'running', 'waiting');
create index project_syncs_project on project_syncs (project_id, id);
create index project_syncs_org on project_syncs (org_id);
create index project_syncs_user on project_syncs (user_id);
create index project_syncs_due on project_syncs (due_at) where due_at is not null;
-- Running syncs, which are counted before another one begins.
create index project_syncs_org_open on project_syncs (org_id) where status in ('queued', 'running', 'waiting');
call add_tenant_policy('project_syncs');

create table sync_marks (
  project_id uuid primary key references projects (id) on delete cascade,
  org_id uuid not null references orgs (id) on delete cascade,
  host text not null,
  repo_url text not null,
  repo_id text not null,
  issues_until timestamptz,
  comments_until timestamptz,
  etag text,
  etag_since timestamptz,
  synced_at timestamptz not null
);
comment on table sync_marks is 'How far the repository of a project was read.';
comment on column sync_marks.repo_id is 'The id of the repository at its host, which stays when it is renamed.';
comment on column sync_marks.etag is 'Of the list of what has changed since etag_since, when that was one page.';
create index sync_marks_org on sync_marks (org_id);
call add_tenant_policy('sync_marks');

create table remote_issues (
  project_id uuid not null references projects (id) on delete cascade,
  host text not null,
  external_id text not null,
  org_id uuid not null references orgs (id) on delete cascade,
  issue_id uuid references issues (id) on delete set null,
  number int not null,
  url text,
  author text,
  state text not null check (state in ('open', 'done', 'dropped')),
  title text not null,
  labels jsonb not null,
  description_digest bytea not null,
  conflicts jsonb,
  conflicted_at timestamptz,
  changed_at timestamptz not null,
  synced_at timestamptz not null default now(),
  comments_due boolean not null default false,
  repo_id text not null,
  gone_at timestamptz,
  primary key (project_id, host, external_id)
);
comment on table remote_issues is 'Issues as their code hosts told of them last.';
comment on column remote_issues.issue_id is 'Null when it was deleted here: it is not added anew.';
comment on column remote_issues.conflicts is 'What was changed on both sides: the fields, with what they were here.';
comment on column remote_issues.changed_at is 'By the clock of the host.';
comment on column remote_issues.repo_id is
  'The id of the repository at its host; empty when it is not known: until the host tells of the issue again.';
comment on column remote_issues.gone_at is 'Since when it is in step with no issue here.';
create unique index remote_issues_issue on remote_issues (issue_id);
create index remote_issues_org on remote_issues (org_id);
create index remote_issues_number on remote_issues (project_id, host, repo_id, number);
create index remote_issues_comments_due on remote_issues (project_id, host, repo_id, number) where comments_due;
create index remote_issues_gone on remote_issues (gone_at) where gone_at is not null;
call add_tenant_policy('remote_issues');

-- The rows lose their reference when its target is deleted, however that happens.
create function note_gone() returns trigger language plpgsql as $$
begin
  new.gone_at = now();
  return new;
end $$;
create trigger gone_issues before insert or update of issue_id on remote_issues
  for each row when (new.issue_id is null and new.gone_at is null) execute function note_gone();

create table remote_comments (
  project_id uuid not null references projects (id) on delete cascade,
  host text not null,
  external_id text not null,
  org_id uuid not null references orgs (id) on delete cascade,
  comment_id uuid references issue_comments (id) on delete set null,
  url text,
  author text,
  changed_at timestamptz not null,
  gone_at timestamptz,
  primary key (project_id, host, external_id)
);
comment on column remote_comments.comment_id is 'Null when it was deleted here: it is not added anew.';
comment on column remote_comments.gone_at is 'Since when it is in step with no comment here.';
create unique index remote_comments_comment on remote_comments (comment_id);
create index remote_comments_org on remote_comments (org_id);
create index remote_comments_gone on remote_comments (gone_at) where gone_at is not null;
call add_tenant_policy('remote_comments');

create trigger gone_comments before insert or update of comment_id on remote_comments
  for each row when (new.comment_id is null and new.gone_at is null) execute function note_gone();

create table host_deliveries (
  project_id uuid not null references projects (id) on delete cascade,
  delivery_id text not null,
  org_id uuid not null references orgs (id) on delete cascade,
  received_at timestamptz not null default now(),
  primary key (project_id, delivery_id)
);
comment on table host_deliveries is 'What code hosts have told by webhook, so that each delivery counts once.';
create index host_deliveries_newest on host_deliveries (project_id, received_at);
create index host_deliveries_org on host_deliveries (org_id);
create index host_deliveries_received on host_deliveries (received_at);
call add_tenant_policy('host_deliveries');

create table issue_pushes (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  project_id uuid not null references projects (id) on delete cascade,
  issue_id uuid not null references issues (id) on delete cascade,
  comment_id uuid references issue_comments (id) on delete cascade,
  version int not null default 1,
  attempts int not null default 0,
  due_at timestamptz not null default now(),
  error text
);
comment on table issue_pushes is
  'Issues with changes that their host is still to be told, and comments that are still to be written there.';
comment on column issue_pushes.version is
  'Counts the changes since it was added: what was changed while the host was told is told again.';
comment on column issue_pushes.due_at is 'When a workflow should have told the host.';
comment on column issue_pushes.error is
  'Why the host was not told; then it is left alone, due at infinity, until it is taken up again.';
create unique index issue_pushes_issue on issue_pushes (issue_id) where comment_id is null;
create unique index issue_pushes_comment on issue_pushes (comment_id);
create index issue_pushes_of_issue on issue_pushes (issue_id);
create index issue_pushes_project on issue_pushes (project_id, id);
create index issue_pushes_org on issue_pushes (org_id);
create index issue_pushes_due on issue_pushes (due_at);
create index issue_pushes_waiting on issue_pushes (project_id, id) where error is null;
call add_tenant_policy('issue_pushes');
