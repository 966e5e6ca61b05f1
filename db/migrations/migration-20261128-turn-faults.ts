import { Migration } from '@mikro-orm/migrations';

/** Counts the unexpected errors of a turn: what fails with one each time must not be attempted for ever. */
export class Migration20261128TurnFaults extends Migration {
  override up(): void {
    this.addSql(FAULTS);
  }
}

const FAULTS = `
alter table turns add column faults smallint not null default 0;
comment on column turns.faults is 'Attempts that have ended with an unexpected error since the last stored step.';
`;
