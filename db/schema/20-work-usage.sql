-- The bytes of each organization's issues, comments, tasks, runs and their approvals, so that they can be bounded. A
-- row counts its content, and an overhead for its indexes, words and labels, which bounds many small ones, too.

create table work_usage (
  org_id uuid primary key references orgs (id) on delete cascade,
  bytes bigint not null
);
call add_tenant_policy('work_usage');

-- A change is a row of its own: writers of one organization would otherwise wait for its total, a turn that ends a task
-- among them. One statement may delete thousands of rows, and adds one change.
create table work_usage_changes (
  id bigint generated always as identity primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  bytes bigint not null
);
comment on table work_usage_changes is 'What is not yet in work_usage.';
create index work_usage_changes_org on work_usage_changes (org_id) include (bytes);
call add_tenant_policy('work_usage_changes');

-- Records the bytes of added, changed and deleted rows; each counted table calls it by three triggers.
create function note_work_bytes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into work_usage_changes (org_id, bytes) values (new.org_id, new.bytes);
  elsif tg_op = 'UPDATE' then
    insert into work_usage_changes (org_id, bytes) values (new.org_id, new.bytes - old.bytes);
  else
    -- The rows may go with their organization.
    insert into work_usage_changes (org_id, bytes)
      select g.org_id, -sum(g.bytes) from gone g
      where exists (select from orgs o where o.id = g.org_id) group by g.org_id
      having sum(g.bytes) > 0;
  end if;
  return null;
end $$;
