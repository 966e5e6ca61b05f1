import { Migration } from '@mikro-orm/migrations';

/** Adds when somebody last asked for an index of the marketplace. */
export class Migration20261210AskedIndexes extends Migration {
  override up(): void {
    this.addSql(`alter table marketplace_indexes add column asked_at timestamptz`);
    this.addSql(
      `comment on column marketplace_indexes.asked_at is 'When somebody has asked for it; null once it is being fetched for them.'`,
    );
  }
}
