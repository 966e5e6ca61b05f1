import { Migration } from '@mikro-orm/migrations';

/** Removes an index that every published token was entered into and no statement looks at. */
export class Migration20261122AgeOfTurnEvents extends Migration {
  override up(): void {
    this.addSql('drop index turn_events_age');
  }
}
