import { Migration } from '@mikro-orm/migrations';
import { tenantPolicy } from './tenant-policy.ts';

/** Lets what is changed here of synced issues go to their code host. */
export class Migration20261212IssuePushes extends Migration {
  override up(): void {
    this.addSql(/* sql */ `
alter table projects add column sync_direction text not null default 'pull' check (sync_direction in ('pull', 'both'));
alter table remote_issues add column push_error text;

create table issue_pushes (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  project_id uuid not null references projects (id) on delete cascade,
  issue_id uuid not null references issues (id) on delete cascade,
  comment_id uuid references issue_comments (id) on delete cascade,
  version int not null default 1,
  attempts int not null default 0,
  due_at timestamptz not null default now()
);
create unique index issue_pushes_issue on issue_pushes (issue_id) where comment_id is null;
create unique index issue_pushes_comment on issue_pushes (comment_id);
create index issue_pushes_of_issue on issue_pushes (issue_id);
create index issue_pushes_project on issue_pushes (project_id, id);
create index issue_pushes_org on issue_pushes (org_id);
create index issue_pushes_due on issue_pushes (due_at);
comment on table issue_pushes is 'Issues with changes that their host is still to be told, and comments that are still to be written there.';
comment on column issue_pushes.version is 'Counts the changes since it was added: what was changed while the host was told is told again.';
comment on column issue_pushes.due_at is 'When the sweeper makes sure that a workflow tells the host.';
`);
    this.addSql(tenantPolicy('issue_pushes'));
  }
}
