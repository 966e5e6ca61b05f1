import { Migration } from '@mikro-orm/migrations';

/** Keeps why the last call with a provider account failed. */
export class Migration20261128ProviderFailures extends Migration {
  override up(): void {
    this.addSql('alter table provider_accounts add last_failure text, add last_failed_at timestamptz');
  }
}
