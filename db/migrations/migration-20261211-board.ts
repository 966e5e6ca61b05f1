import { Migration } from '@mikro-orm/migrations';

/** Keeps the order of tasks on boards, and finds those that have changed lately. */
export class Migration20261211Board extends Migration {
  override up(): void {
    this.addSql('alter table tasks add column position text collate "C"');
    // The owner of the tables is bound to an organization too, and this changes the rows of all.
    this.addSql("select set_config('app.scope', 'system', true)");
    this.addSql("update tasks set position = 'l' || replace(id::text, '-', '') || 'V'");
    this.addSql("select set_config('app.scope', '', true)");
    this.addSql(ORDER);
  }
}

const ORDER = `
alter table tasks alter column position set not null;
create index tasks_position on tasks (chat_id, position);
create index tasks_changed on tasks (updated_at);
comment on column tasks.position is 'A fractional index: the order on boards.';
`;
