import { Migration } from '@mikro-orm/migrations';

/** Lets people create tasks, which agents work on in turns of their own. */
export class Migration20261208Tasks extends Migration {
  override up(): void {
    this.addSql(TASKS);
  }
}

const TASKS = `
alter table tasks
  add column created_by uuid references users (id) on delete set null,
  add column depends_on uuid[] not null default '{}',
  add column error text,
  add column attempts integer not null default 0,
  add column due_at timestamptz;
create index tasks_due on tasks (due_at) where status = 'pending' and due_at is not null;
create index tasks_dependents on tasks using gin (depends_on) where cardinality(depends_on) > 0;
update tasks set created_by = chats.user_id from chats where chats.id = tasks.chat_id;
create index tasks_creator on tasks (created_by, id) where created_by is not null;
alter table turns
  add column task_id uuid references tasks (id) on delete set null,
  add column is_report boolean not null default false;
create index turns_task on turns (task_id, seq) where task_id is not null;
`;
