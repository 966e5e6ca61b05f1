import { Migration } from '@mikro-orm/migrations';

/** Notes that a turn at work was woken, so that it looks again before it waits. */
export class Migration20261202WakesOfTurns extends Migration {
  override up(): void {
    this.addSql('alter table turns add column woken_since_claim boolean not null default false');
  }
}
