import { Migration } from '@mikro-orm/migrations';

/** Counts how often a tool call was begun without an orderly end, so that one that ends its process is not begun for ever. */
export class Migration20261121CallTries extends Migration {
  override up(): void {
    this.addSql('alter table tool_calls add column tries int not null default 0');
    // Of nearly no rows: those whose process ended in the middle.
    this.addSql('create index tool_calls_broken on tool_calls (turn_id, step) where tries > 1');
  }
}
