import { Migration } from '@mikro-orm/migrations';
import { tenantPolicy } from './tenant-policy.ts';

/** Counts the bytes of each organization's issues, comments and tasks, so that they can be bounded. */
export class Migration20261214WorkUsage extends Migration {
  override up(): void {
    this.addSql(TABLES);
    for (const [table, bytes] of Object.entries(BYTES)) {
      this.addSql(`alter table ${table} add column bytes int not null generated always as (${bytes}) stored`);
      this.addSql(triggersOf(table));
    }
    // The owner of the tables is bound to an organization too, and this counts the rows of all.
    this.addSql("select set_config('app.scope', 'system', true)");
    this.addSql(COUNT);
    this.addSql("select set_config('app.scope', '', true)");
    for (const table of ['work_usage', 'work_usage_changes']) this.addSql(tenantPolicy(table));
  }
}

// What a row holds, and what it costs beside that with its indexes, words and labels: many small ones are bounded, too.
const BYTES = {
  issues: '1000 + octet_length(title) + octet_length(description) + octet_length(labels::text)',
  issue_comments: '300 + octet_length(content)',
  tasks: `600 + octet_length(title) + octet_length(description) + coalesce(octet_length(output), 0)
    + coalesce(octet_length(error), 0)`,
};

// A change is a row of its own: writers of one organization would otherwise wait for its total, a turn that ends a task
// among them. One statement may delete thousands of rows, and notes one change.
const TABLES = `
create table work_usage (
  org_id uuid primary key references orgs (id) on delete cascade,
  bytes bigint not null
);
create table work_usage_changes (
  id bigint generated always as identity primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  bytes bigint not null
);
create index work_usage_changes_org on work_usage_changes (org_id) include (bytes);
comment on table work_usage_changes is 'What is not yet in work_usage.';

create function note_work_bytes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into work_usage_changes (org_id, bytes) values (new.org_id, new.bytes);
  elsif tg_op = 'UPDATE' then
    insert into work_usage_changes (org_id, bytes) values (new.org_id, new.bytes - old.bytes);
  else
    -- The rows may go with their organization.
    insert into work_usage_changes (org_id, bytes)
      select g.org_id, -sum(g.bytes) from gone g where exists (select from orgs o where o.id = g.org_id) group by g.org_id;
  end if;
  return null;
end $$;
`;

const triggersOf = (table: string) => `
create trigger added_bytes after insert on ${table} for each row execute function note_work_bytes();
create trigger changed_bytes after update on ${table} for each row when (old.bytes <> new.bytes)
  execute function note_work_bytes();
create trigger removed_bytes after delete on ${table} referencing old table as gone
  for each statement execute function note_work_bytes();
`;

const COUNT = `
insert into work_usage (org_id, bytes) select org_id, sum(bytes) from (
  select org_id, bytes from issues union all select org_id, bytes from issue_comments union all select org_id, bytes from tasks
) held group by org_id;
`;
