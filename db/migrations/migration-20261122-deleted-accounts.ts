import { Migration } from '@mikro-orm/migrations';

/** Marks accounts that their users have deleted, so that work in flight for one comes too late. */
export class Migration20261122DeletedAccounts extends Migration {
  override up(): void {
    this.addSql('alter table users add column deleted_at timestamptz');
  }
}
