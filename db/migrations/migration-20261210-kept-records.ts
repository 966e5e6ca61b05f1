import { Migration } from '@mikro-orm/migrations';

/** Adds which records of an installed marketplace item were left as they were edited when it was upgraded. */
export class Migration20261210KeptRecords extends Migration {
  override up(): void {
    this.addSql(`alter table marketplace_installs add column kept jsonb not null default '[]'`);
    this.addSql(`comment on column marketplace_installs.kept is 'Of each such record: kind, key and id.'`);
  }
}
