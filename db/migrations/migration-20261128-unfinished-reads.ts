import { Migration } from '@mikro-orm/migrations';

/** Counts how often the process that read a turn's long conversation ended before it was done with it. */
export class Migration20261128UnfinishedReads extends Migration {
  override up(): void {
    this.addSql('alter table turns add column unfinished_reads smallint not null default 0');
    this.addSql(
      "comment on column turns.unfinished_reads is 'Reads of the long conversation that were begun and never done with: the process ended meanwhile, perhaps of them.'",
    );
  }
}
