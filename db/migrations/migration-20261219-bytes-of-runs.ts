import { Migration } from '@mikro-orm/migrations';

/** Counts the bytes of the runs of workflows with those of issues, comments and tasks, so that they can be bounded. */
export class Migration20261219BytesOfRuns extends Migration {
  override up(): void {
    this.addSql(`alter table workflow_runs add column bytes int not null generated always as (${BYTES}) stored`);
    this.addSql(TRIGGERS);
    // The owner of the tables is bound to an organization too, and this counts the rows of all.
    this.addSql("select set_config('app.scope', 'system', true)");
    this.addSql(COUNT);
    this.addSql("select set_config('app.scope', '', true)");
  }
}

// What a run holds, and what it costs beside that with its indexes: many small ones are bounded, too.
const BYTES = `1000 + octet_length(variables::text) + octet_length(missing_variables::text) + octet_length(steps::text)
  + octet_length(prompt) + coalesce(octet_length(output), 0) + coalesce(octet_length(error), 0)`;

const TRIGGERS = `
create trigger added_bytes after insert on workflow_runs for each row execute function note_work_bytes();
create trigger changed_bytes after update on workflow_runs for each row when (old.bytes <> new.bytes)
  execute function note_work_bytes();
create trigger removed_bytes after delete on workflow_runs referencing old table as gone
  for each statement execute function note_work_bytes();
`;

const COUNT = `
insert into work_usage as known (org_id, bytes) select org_id, sum(bytes) from workflow_runs group by org_id
on conflict (org_id) do update set bytes = known.bytes + excluded.bytes;
`;
