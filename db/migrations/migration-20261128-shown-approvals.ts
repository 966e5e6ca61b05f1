import { Migration } from '@mikro-orm/migrations';

/** Keeps what was shown of a call with its approval, which is requested again when the call has changed. */
export class Migration20261128ShownApprovals extends Migration {
  override up(): void {
    this.addSql(APPROVALS);
  }
}

const APPROVALS = `
alter table approvals
  add column details jsonb not null default '[]',
  add column digest text,
  drop constraint approvals_status_check,
  add constraint approvals_status_check check (
    status in ('pending', 'approved', 'denied', 'expired', 'cancelled', 'outdated')
  ),
  drop constraint approvals_call_id_key;
create index approvals_call on approvals (call_id);
create unique index approvals_current on approvals (call_id) where status <> 'outdated';
comment on column approvals.details is 'What a person is shown of the call beside its arguments: labels and values.';
comment on column approvals.digest is 'The digest of what decides what the call does beside its arguments.';
`;
