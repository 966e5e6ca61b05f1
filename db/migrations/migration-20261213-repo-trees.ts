import { Migration } from '@mikro-orm/migrations';
import { tenantPolicy } from './tenant-policy.ts';

/** Adds what was read of the repositories of projects, and how turns find the open issues and tasks of a project. */
export class Migration20261213RepoTrees extends Migration {
  override up(): void {
    this.addSql(TABLE);
    this.addSql(tenantPolicy('repo_trees'));
    // The owner of the tables is bound to an organization too, and this reads the rows of all.
    this.addSql("select set_config('app.scope', 'system', true)");
    this.addSql(/* sql */ `
insert into repo_trees (project_id, org_id, repo_url, due_at)
  select id, org_id, repo_url, case when deleted_at is null then now() end from projects where repo_url <> '';
`);
    this.addSql("select set_config('app.scope', '', true)");
    this.addSql(INDEXES);
    this.addSql(TASKS);
  }
}

const TABLE = /* sql */ `
create table repo_trees (
  project_id uuid primary key references projects (id) on delete cascade,
  org_id uuid not null references orgs (id) on delete cascade,
  repo_url text not null,
  default_branch text,
  commit_id text,
  branches jsonb not null default '[]',
  has_more_branches boolean not null default false,
  outline text not null default '',
  files int,
  error text,
  failures int not null default 0,
  fetched_at timestamptz,
  checked_at timestamptz,
  due_at timestamptz,
  not_before timestamptz
);
create index repo_trees_org on repo_trees (org_id);
create index repo_trees_due on repo_trees (due_at) where due_at is not null;
comment on table repo_trees is 'What was last read of the repositories of projects; the outline is as prompts show it.';
comment on column repo_trees.repo_url is 'The address that it was read at: what came from a former one is not stored.';
comment on column repo_trees.commit_id is 'The commit that the outline is of; null while none was read, and of an empty repository.';
comment on column repo_trees.fetched_at is 'When the host last told the state; null while it has not.';
comment on column repo_trees.due_at is 'When it is read again; null for a deleted project.';
comment on column repo_trees.not_before is 'Until then the host asks to be left alone.';
`;

const INDEXES = /* sql */ `
create index issues_open_of_agent on issues (assigned_agent_id, project_id, id)
  where status in ('backlog', 'todo', 'in_progress', 'in_review');
create index issues_open on issues (project_id, (
  case status when 'in_progress' then 1 when 'in_review' then 2 when 'todo' then 3 else 4 end), id desc)
  where status in ('backlog', 'todo', 'in_progress', 'in_review');
create index tasks_open on tasks (chat_id, id) where status in ('pending', 'in_progress', 'failed');
create index chats_of_project on chats (project_id, updated_at desc) where project_id is not null and deleted_at is null;
`;

/**
 * Reads the newest tasks of a project ($1) that are open or have failed, for an agent ($2) and a user ($3): in the 6
 * chats that were used last, of those that are the user's or shared. It is a function because of its settings: the
 * planner, which does not know how large a project is, would read and sort all of its chats, where the end of an index
 * is enough.
 */
const TASKS = /* sql */ `
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
`;
