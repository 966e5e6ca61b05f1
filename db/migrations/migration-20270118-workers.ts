import { Migration } from '@mikro-orm/migrations';
import { systemPolicy } from './system-policy.ts';

/** Keeps what each worker cannot do where it runs, so that the api can say which tools can be used. */
export class Migration20270118Workers extends Migration {
  override up(): void {
    this.addSql(`
create table workers (
  id uuid primary key,
  seen_at timestamptz not null,
  lacks jsonb not null
);
comment on column workers.seen_at is 'A worker that was not seen for a minute is gone.';
comment on column workers.lacks is 'Why, for each facility that it lacks.';
`);
    this.addSql(systemPolicy('workers'));
  }
}
