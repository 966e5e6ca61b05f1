import { Migration } from '@mikro-orm/migrations';

/**
 * Adds the lease under which a worker runs a turn, and shortens the time after which a lost notification is made up
 * for.
 */
export class Migration20261122LeasesOfTurns extends Migration {
  override up(): void {
    this.addSql(/* sql */ `
alter table turns add column runner uuid, add column lease_until timestamptz;
alter table turns alter column next_wake_at set default now() + interval '2 seconds';
comment on column turns.runner is 'The process that runs the turn, or ran it last.';
comment on column turns.lease_until is 'Until then no other process takes the turn over; null when none runs it.';
`);
  }
}
