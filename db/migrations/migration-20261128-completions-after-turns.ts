import { Migration } from '@mikro-orm/migrations';

/** Keeps after which turn a request goes on, so that it is answered only while that turn is the last one. */
export class Migration20261128CompletionsAfterTurns extends Migration {
  override up(): void {
    this.addSql(`
alter table completions add column after_turn_id uuid;
comment on column completions.after_turn_id is 'The turn of the chat that the message goes on after; null where any may be the last one.';
`);
  }
}
