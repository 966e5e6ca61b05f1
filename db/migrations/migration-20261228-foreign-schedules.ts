import { Migration } from '@mikro-orm/migrations';

/** Schedules know whether their prompt may repeat text from outside. */
export class Migration20261228ForeignSchedules extends Migration {
  override up(): void {
    this.addSql(`
      alter table schedules add column is_foreign boolean not null default false;
      comment on column schedules.is_foreign is
        'An agent has written the prompt in a chat that had read text from outside, so that it may repeat such text.';
    `);
  }
}
