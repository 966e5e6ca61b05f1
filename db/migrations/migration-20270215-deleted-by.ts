import { Migration } from '@mikro-orm/migrations';

/** Keeps who has deleted a record that can be restored; nobody knows it of those that were deleted before. */
export class Migration20270215DeletedBy extends Migration {
  override up(): void {
    for (const table of ['agents', 'provider_accounts', 'projects']) this.addSql(deletedBy(table));
  }
}

const deletedBy = (table: string) => `
alter table ${table}
  add column deleted_by uuid references users (id) on delete set null,
  add constraint ${table}_deleted_by check (deleted_by is null or deleted_at is not null);
create index ${table}_deleted_by on ${table} (deleted_by) where deleted_by is not null;
`;
