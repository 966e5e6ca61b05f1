import { Migration } from '@mikro-orm/migrations';
import { tenantPolicy } from './tenant-policy.ts';

/** Lets people create tasks, which agents work on in turns of their own. */
export class Migration20261208Tasks extends Migration {
  override up(): void {
    this.addSql(TASKS);
    this.addSql(tenantPolicy('task_dependencies'));
    // The owner of the tables is bound to an organization too, and this changes the rows of all.
    this.addSql("select set_config('app.scope', 'system', true)");
    this.addSql('update tasks set created_by = chats.user_id from chats where chats.id = tasks.chat_id');
    this.addSql("select set_config('app.scope', '', true)");
  }
}

const TASKS = `
alter table tasks
  add column created_by uuid references users (id) on delete set null,
  add column error text,
  add column attempts integer not null default 0,
  add column due_at timestamptz;
create index tasks_due on tasks (due_at) where status = 'pending' and due_at is not null;
create index tasks_creator on tasks (created_by, id) where created_by is not null;
comment on column tasks.due_at is 'When the sweeper looks whether its agent can begin; null for a task without one.';

create table task_dependencies (
  task_id uuid not null references tasks (id) on delete cascade,
  needs_id uuid not null references tasks (id) on delete cascade,
  org_id uuid not null references orgs (id) on delete cascade,
  primary key (task_id, needs_id)
);
create index task_dependencies_needs on task_dependencies (needs_id);
create index task_dependencies_org on task_dependencies (org_id);

alter table turns
  add column task_id uuid references tasks (id) on delete set null,
  add column is_report boolean not null default false;
create index turns_task on turns (task_id, seq) where task_id is not null;
comment on column turns.task_id is 'The task that the turn is an attempt at, or whose result it reports.';
`;
