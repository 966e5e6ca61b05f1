import { Migration } from '@mikro-orm/migrations';

/** Adds the traces of turns that have ended to what each organization holds: it is taken off with their chats. */
export class Migration20270217CountedTraces extends Migration {
  override up(): void {
    this.addSql("select set_config('app.scope', 'system', true)");
    this.addSql(COUNT);
    this.addSql("select set_config('app.scope', '', true)");
  }
}

// Turns that end later are counted with theirs.
const COUNT = /* sql */ `
update org_usage u set message_bytes = u.message_bytes + held.bytes
from (
  select t.org_id, sum(pg_column_size(t.trace) + (
      select coalesce(sum(pg_column_size(s.trace)), 0) from model_steps s where s.turn_id = t.id
    )) as bytes
  from turns t where t.ended_at < (select counted_until from usage_count) group by t.org_id
) held
where held.org_id = u.org_id
`;
