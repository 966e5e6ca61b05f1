import { Migration } from '@mikro-orm/migrations';

/**
 * Counts the attempts at a tool call that ended without a result, so that a call that kills its process is not repeated
 * for ever.
 */
export class Migration20261121CallTries extends Migration {
  override up(): void {
    this.addSql('alter table tool_calls add column tries int not null default 0');
    // Nearly no rows: those whose process ended in the middle.
    this.addSql('create index tool_calls_broken on tool_calls (turn_id, step) where tries > 1');
  }
}
