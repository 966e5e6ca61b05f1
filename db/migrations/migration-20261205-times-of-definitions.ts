import { Migration } from '@mikro-orm/migrations';

/**
 * Keeps the time of a definition's last change from going back when its files are written: those of a new one are
 * written in the transaction that makes it, which began before.
 */
export class Migration20261205TimesOfDefinitions extends Migration {
  override up(): void {
    this.addSql(MEASURE);
  }
}

const MEASURE = `
create or replace function measure_definition_files() returns trigger language plpgsql as $$
begin
  update definitions d set updated_at = greatest(d.updated_at, now()),
    (file_count, file_bytes) = (
      select count(*), coalesce(sum(octet_length(f.content)), 0) from definition_files f where f.definition_id = d.id
    )
    where d.id in (select c.definition_id from changed c);
  return null;
end $$;
`;
