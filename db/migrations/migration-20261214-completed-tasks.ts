import { Migration } from '@mikro-orm/migrations';

/** Lets the sweeper find the tasks that were completed a moment ago, for which others may wait. */
export class Migration20261214CompletedTasks extends Migration {
  override up(): void {
    this.addSql("create index tasks_completed on tasks (ended_at) where status = 'completed'");
  }
}
