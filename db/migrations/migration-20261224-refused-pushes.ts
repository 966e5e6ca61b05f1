import { Migration } from '@mikro-orm/migrations';

/** Keeps what a code host has refused, and why, until it is told again. */
export class Migration20261224RefusedPushes extends Migration {
  override up(): void {
    this.addSql(/* sql */ `
alter table issue_pushes add column error text;
create index issue_pushes_waiting on issue_pushes (project_id, id) where error is null;
comment on column issue_pushes.error is
  'Why the host was not told; then it is left alone, due at infinity, until it is taken up again.';
`);
    // The owner of the tables is bound to an organization too, and this adds rows of all.
    this.addSql("select set_config('app.scope', 'system', true)");
    this.addSql(REFUSED);
    this.addSql("select set_config('app.scope', '', true)");
    this.addSql('alter table remote_issues drop column push_error');
  }
}

const REFUSED = /* sql */ `
insert into issue_pushes (id, org_id, project_id, issue_id, attempts, due_at, error)
  select gen_random_uuid(), org_id, project_id, issue_id, 1, 'infinity', push_error from remote_issues
  where push_error is not null
on conflict do nothing`;
