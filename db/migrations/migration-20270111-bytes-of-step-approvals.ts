import { Migration } from '@mikro-orm/migrations';

/** Counts the bytes of the prompts that waited for an approval with those of their runs. */
export class Migration20270111BytesOfStepApprovals extends Migration {
  override up(): void {
    this.addSql(`alter table approvals add column bytes int not null generated always as (${BYTES}) stored`);
    this.addSql(FUNCTION);
    this.addSql(TRIGGERS);
    // The owner of the tables is bound to an organization too, and this counts the rows of all.
    this.addSql("select set_config('app.scope', 'system', true)");
    this.addSql(COUNT);
    this.addSql("select set_config('app.scope', '', true)");
  }
}

// Those of calls hold what their calls are: they count with the messages.
const BYTES = `case when run_id is null then 0 else 500 + octet_length(prompt) + coalesce(octet_length(note), 0)
  + coalesce(octet_length(edited_arguments::text), 0) end`;

// As before, but for rows that count nothing: many go without a change of the total.
const FUNCTION = `
create or replace function note_work_bytes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into work_usage_changes (org_id, bytes) values (new.org_id, new.bytes);
  elsif tg_op = 'UPDATE' then
    insert into work_usage_changes (org_id, bytes) values (new.org_id, new.bytes - old.bytes);
  else
    -- The rows may go with their organization.
    insert into work_usage_changes (org_id, bytes)
      select g.org_id, -sum(g.bytes) from gone g where exists (select from orgs o where o.id = g.org_id) group by g.org_id
      having sum(g.bytes) > 0;
  end if;
  return null;
end $$;
`;

const TRIGGERS = `
create trigger added_bytes after insert on approvals for each row when (new.bytes > 0)
  execute function note_work_bytes();
create trigger changed_bytes after update on approvals for each row when (old.bytes <> new.bytes)
  execute function note_work_bytes();
create trigger removed_bytes after delete on approvals referencing old table as gone
  for each statement execute function note_work_bytes();
`;

const COUNT = `
insert into work_usage as known (org_id, bytes)
  select org_id, sum(bytes) from approvals where run_id is not null group by org_id
on conflict (org_id) do update set bytes = known.bytes + excluded.bytes;
`;
