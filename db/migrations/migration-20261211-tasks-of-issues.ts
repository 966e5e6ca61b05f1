import { Migration } from '@mikro-orm/migrations';

/** Lets tasks be made from issues, and be parts of others. */
export class Migration20261211TasksOfIssues extends Migration {
  override up(): void {
    this.addSql(COLUMNS);
  }
}

const COLUMNS = `
alter table tasks
  add column issue_id uuid references issues (id) on delete set null,
  add column parent_task_id uuid references tasks (id) on delete set null,
  add column is_foreign boolean not null default false;
create index tasks_issue on tasks (issue_id, id) where issue_id is not null;
create index tasks_parent_task on tasks (parent_task_id, id) where parent_task_id is not null;
comment on column tasks.issue_id is 'The issue whose comments are told the result.';
comment on column tasks.is_foreign is 'Written where text from outside had been read, and so may repeat it.';
`;
