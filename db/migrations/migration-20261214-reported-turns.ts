import { Migration } from '@mikro-orm/migrations';

/** Keeps of which attempt at a task a turn tells the result: the task may be tried again before that. */
export class Migration20261214ReportedTurns extends Migration {
  override up(): void {
    this.addSql('alter table turns add column reported_turn_id uuid');
    // No foreign key: both turns go with the chat at the root, and each deleted turn would be looked up.
    this.addSql("comment on column turns.reported_turn_id is 'The attempt at the task whose result the turn tells.'");
  }
}
